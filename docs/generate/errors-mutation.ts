/** Figures of the last run of mutation testing, which is done by hand. */
export const MUTATION = "";
