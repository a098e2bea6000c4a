/** A failure told by the engine, classified by its number, never by its words. */
export class WarehouseError extends Error {
  constructor(
    /** The engine's error number, 0 when it gave none. */
    readonly code: number,
    /** The engine's name of it, e.g. `UNKNOWN_IDENTIFIER`. */
    readonly type: string,
    /** The engine's text, without its `Code: N. DB::Exception:` frame. For logs and for the mapping to client messages. */
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'WarehouseError';
  }
}

const FRAME =
  /^(?:Code: (\d+)\. )?(?:DB::Exception: )?(.*?)(?: \(([A-Z][A-Z0-9_]+)\))?(?: \(version [^)]*\))?\s*$/s;

/** Reads the engine's `Code: N. DB::Exception: … (TYPE)`; whatever has no such frame gets code 0. */
export function toWarehouseError(error: unknown): WarehouseError {
  if (error instanceof WarehouseError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const frame = FRAME.exec(text);
  const own = error as { code?: unknown; type?: unknown };
  const number =
    frame?.[1] ?? (typeof own.code === 'string' && /^\d+$/.test(own.code) ? own.code : '0');
  const type = frame?.[3] ?? (typeof own.type === 'string' ? own.type : 'UNKNOWN');
  return new WarehouseError(Number(number), type, frame?.[2] ?? text, { cause: error });
}
