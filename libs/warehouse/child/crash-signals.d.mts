/**
 * Opens an engine, and restores the way in which a crash ends the process, because the engine's
 * library changes it: the process ends at once, and leaves no core dump.
 */
export function keepingCrashSignals<Opened>(openEngine: () => Opened): Opened;
