/**
 * Opens an engine, and puts back how the process ends when it crashes, which the engine's library
 * changes: it ends at once, and leaves no core dump.
 */
export function keepingCrashSignals<Opened>(openEngine: () => Opened): Opened;
