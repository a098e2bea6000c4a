/** Tells whether an error says that nobody waits any more, from whatever realm it comes. */
export const isAbort = (error: unknown): boolean =>
  (error as { name?: unknown } | null | undefined)?.name === 'AbortError';
