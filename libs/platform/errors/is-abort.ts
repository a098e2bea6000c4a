/**
 * Tells whether an error means that the work was cancelled. The error may come from another realm.
 */
export const isAbort = (error: unknown): boolean =>
  (error as { name?: unknown } | null | undefined)?.name === 'AbortError';
