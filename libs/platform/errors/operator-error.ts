/**
 * A fault that the operator can mend: a variable, an argument, a folder, a key. The message says
 * what is wrong and what to do, and programs print nothing else.
 */
export class OperatorError extends Error {}
