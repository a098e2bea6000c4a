const VERSION = '26.7.1.1 (double)';

/** HTTP statuses by the engine's number; everything else is a 500. */
const STATUS: Readonly<Record<number, number>> = {
  6: 400, 26: 400, 27: 400, 36: 400, 38: 400, 41: 400, 53: 400, 62: 400, 69: 400, 72: 400, 117: 400,
  46: 404, 47: 404, 50: 404, 60: 404, 81: 404, 115: 404,
  159: 408, 48: 501, 194: 401, 192: 403, 193: 403, 516: 403,
}; // prettier-ignore

/** A failure as a server tells it. */
export class DoubleError extends Error {
  constructor(
    readonly code: number,
    readonly type: string,
    message: string,
  ) {
    super(message);
  }

  get status(): number {
    return STATUS[this.code] ?? 500;
  }

  /** `Code: N. DB::Exception: … (TYPE) (version …)`, a line. */
  get text(): string {
    return `Code: ${this.code}. DB::Exception: ${this.message} (${this.type}) (version ${VERSION})\n`;
  }
}

const FRAME = /^(?:Code: (\d+)\. )?(?:DB::Exception: )?(.*?)(?: \(([A-Z][A-Z0-9_]+)\))?\s*$/s;

/** The embedded engine's failures as the server's. */
export function toDoubleError(error: unknown): DoubleError {
  if (error instanceof DoubleError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const [, code, message, type] = FRAME.exec(text) ?? [];
  return new DoubleError(Number(code ?? 1001), type ?? 'STD_EXCEPTION', message ?? text);
}
