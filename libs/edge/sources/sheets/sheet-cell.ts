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
  // The number is in seconds, because the engine has no type for durations.
  duration: 'Nullable(Int64)',
  text: 'Nullable(String)',
};

const DAY_MS = 86_400_000;
/** Days from 30 December 1899 to 1970. */
const EPOCH_DAYS = 25_569;
/** Hours that count beyond a day. */
const DURATION_FORMAT = /\[(?:h+|m+|s+)\]/i;
const BOOLEAN_FORMULA = /^(?:of:=)?(?:TRUE|FALSE)\(\)$/i;

/** The calendar of a workbook. */
export interface Calendar {
  /** Tells whether a number format shows a date or a time. */
  isDate(this: void, format: string): boolean;
  /** Its days begin with 1904, as some of Macintosh do. */
  readonly is1904: boolean;
}

export function cellKind(cell: CellObject | undefined, calendar: Calendar): Kind {
  if (cell?.v === undefined || cell.v === '') return 'nothing';
  if (cell.t === 'b' || isBooleanFormula(cell)) return 'boolean';
  if (cell.t !== 'n' || typeof cell.v !== 'number') return cell.t === 'e' ? 'nothing' : 'text';
  const format = String(cell.z ?? '');
  if (DURATION_FORMAT.test(format)) return 'duration';
  // Their calendars have a 29 February 1900, which never existed.
  if (calendar.isDate(format)) return daysOf(cell.v, calendar) === undefined ? 'text' : 'time';
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

/**
 * The cell as JSON for a column of the type; undefined: the type does not hold it. An error that a
 * formula has is null.
 */
export function cellValue(cell: CellObject | undefined, type: string, calendar: Calendar): unknown {
  const value = cell?.v;
  if (cell === undefined || value === undefined || cell.t === 'e') return null;
  const kind = cellKind(cell, calendar);
  if (type === TYPES.text) return textOf(cell, kind, calendar);
  if (kind === 'nothing') return null;
  switch (type) {
    case TYPES.boolean:
      return typeof value === 'boolean' ? value : value === 1 ? true : value === 0 ? false : undefined; // prettier-ignore
    case TIME: {
      const days = typeof value === 'number' ? daysOf(value, calendar) : undefined;
      return days === undefined ? undefined : timeOf(days);
    }
    case TYPES.integer:
      if (typeof value !== 'number') return undefined;
      if (kind === 'duration') return Math.round((value * DAY_MS) / 1000);
      return Number.isSafeInteger(value) ? value : undefined;
    default:
      return typeof value === 'number' ? value : undefined;
  }
}

/** Numbers with all their digits, which a format may hide; times as ISO 8601; others as they are shown. */
function textOf(cell: CellObject, kind: Kind, calendar: Calendar): string {
  const { v: value, w: shown } = cell;
  if (kind === 'integer' || kind === 'float') return String(value);
  const days = kind === 'time' && typeof value === 'number' ? daysOf(value, calendar) : undefined;
  if (days === undefined) return String(shown ?? value);
  return timeOf(days)
    .replace(/ 00:00:00\.000$/, '')
    .replace(/\.000$/, '');
}

const DAYS_TO_1904 = 1462;
/** The number of 29 February 1900, which exists in sheets and in no calendar. */
const NO_DAY = 60;

/** @returns days since 30 December 1899; undefined for a day that never existed. */
function daysOf(number: number, { is1904 }: Calendar): number | undefined {
  if (is1904) return number + DAYS_TO_1904;
  if (number >= NO_DAY && number < NO_DAY + 1) return undefined;
  // A number below 1 is a time of day, and counts from the day before the first.
  return number >= 1 && number < NO_DAY ? number + 1 : number;
}

/** @param days since 30 December 1899; wall-clock time, taken as UTC. */
function timeOf(days: number): string {
  return new Date(Math.round((days - EPOCH_DAYS) * DAY_MS))
    .toISOString()
    .replace('T', ' ')
    .slice(0, -1);
}
