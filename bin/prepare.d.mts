/** Variables for a Millrace process; see prepare.mjs. */
export function environment(): Record<string, string>;
export function prepare(): Promise<void>;
