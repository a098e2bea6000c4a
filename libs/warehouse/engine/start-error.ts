/** The engine's process has ended before it answered. */
export class EngineStartError extends Error {
  constructor(
    said: string,
    /** The signal by which it ended; null where it ended by itself. */
    readonly signal: NodeJS.Signals | null,
  ) {
    super(`the engine has not started: ${said}`);
  }
}
