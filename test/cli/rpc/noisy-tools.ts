// A tools module that prints to stdout when it is loaded: in JSON and RPC mode that has to go elsewhere.
console.log("tools loaded");
export default [];
