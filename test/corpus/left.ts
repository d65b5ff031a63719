/** Rows that are judged otherwise than they are labelled, and why that is left. */
const LEFT: Readonly<Record<string, string>> = {
  b432: 'A bare "UnknownError" with status 400 says only that the request was refused; the action is the same.',
  t048: '"other side closed" before any byte is what a lost connection looks like too (see A3, labelled network); only the address could tell.',
  t382: "A truncated JSON body as the parser reports it is a cut answer; an empty one cannot be told apart from it. Both are repeated.",
  t427: "The parser quotes only the first letters of what the gateway said; what is left is a garbled answer. Both are repeated.",
  t513: "The client lost the error event and reports a stream without its end; the overload is nowhere in the object. Both are repeated.",
  t514: 'The client replaced the text of the event by "malformed JSON"; the timeout is nowhere in the object. Both are repeated.',
  t515: "As t514.",
  t516: "As t514.",
  t517: "As t514.",
};

export function whyLeft(id: string): string {
  return LEFT[id] ?? "Not looked at yet.";
}
