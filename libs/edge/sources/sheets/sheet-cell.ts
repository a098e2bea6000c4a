import type { CellObject } from '@e965/xlsx';

/** The kind of a cell's value. */
export type Kind = 'nothing' | 'boolean' | 'integer' | 'float' | 'time' | 'duration' | 'text';

const TIME = "Nullable(DateTime64(3, 'UTC'))";
/** A column of cells of one kind; integers and floats together are floats, anything else is text. */
const TYPES: Readonly<Record<Exclude<Kind, 'nothing'>, string>> = {
  boolean: 'Nullable(Bool)',
  integer: 'Nullable(Int64)',
  float: 'Nullable(Float64)',
  time: TIME,
  // Seconds: the engine has no type of durations.
  duration: 'Nullable(Int64)',
  text: 'Nullable(String)',
};

const DAY_MS = 86_400_000;
/** Days from 30 December 1899 to 1970. */
const EPOCH_DAYS = 25_569;
/** Hours that count beyond a day. */
const DURATION_FORMAT = /\[(?:h+|m+|s+)\]/i;
const BOOLEAN_FORMULA = /^(?:of:=)?(?:TRUE|FALSE)\(\)$/i;

/** @param isDate whether a number format shows a date or a time. */
export function cellKind(cell: CellObject | undefined, isDate: (format: string) => boolean): Kind {
  if (cell?.v === undefined || cell.v === '') return 'nothing';
  if (cell.t === 'b' || isBooleanFormula(cell)) return 'boolean';
  if (cell.t !== 'n' || typeof cell.v !== 'number') return cell.t === 'e' ? 'nothing' : 'text';
  const format = String(cell.z ?? '');
  if (DURATION_FORMAT.test(format)) return 'duration';
  if (isDate(format)) return 'time';
  return Number.isSafeInteger(cell.v) ? 'integer' : 'float';
}

const isBooleanFormula = ({ f }: CellObject): boolean => f !== undefined && BOOLEAN_FORMULA.test(f);

export function columnType(kinds: ReadonlySet<Kind> = new Set()): string {
  const [only, ...more] = [...kinds].filter((kind) => kind !== 'nothing');
  if (only === undefined) return TYPES.text;
  if (more.length === 0) return TYPES[only];
  const numbers = [only, ...more].every((kind) => kind === 'integer' || kind === 'float');
  return numbers ? TYPES.float : TYPES.text;
}

/** The cell as JSON for a column of the type; what does not fit it is null. */
export function cellValue(cell: CellObject | undefined, type: string): unknown {
  const value = cell?.v;
  if (cell === undefined || value === undefined || cell.t === 'e') return null;
  switch (type) {
    case TYPES.text:
      return String(cell.w ?? value);
    case TYPES.boolean:
      return typeof value === 'boolean' ? value : value === 1 ? true : value === 0 ? false : null;
    case TIME:
      return typeof value === 'number' ? timeOf(value) : null;
    case TYPES.integer: {
      if (typeof value !== 'number') return null;
      return DURATION_FORMAT.test(String(cell.z ?? ''))
        ? Math.round((value * DAY_MS) / 1000)
        : Math.round(value);
    }
    default:
      return typeof value === 'number' ? value : null;
  }
}

/** @param days since 30 December 1899, as sheets count them; wall-clock time, taken as UTC. */
function timeOf(days: number): string {
  return new Date(Math.round((days - EPOCH_DAYS) * DAY_MS))
    .toISOString()
    .replace('T', ' ')
    .slice(0, -1);
}
