/** The answer of a command without a result. */
export interface Done {
  readonly code: 200;
  readonly message: string;
}

export const done = (message: string): Done => ({ code: 200, message });
