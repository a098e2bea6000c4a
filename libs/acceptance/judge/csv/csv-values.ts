import { isScalar } from '@app/streams';
import { INNER_BREAK } from './csv-fields.js';
import { kindOfText } from './csv-kinds.js';
import { FaultFound, type Fault } from '../json/fault.js';
import { JsonScanner } from '../json/json-scanner.js';
import type { PathSurvey } from '../json/path-survey.js';
import type { JudgedColumn } from '../chunk/judge-job.js';
import { BOOL, FLOAT, INT, ODDLY_WRITTEN, TEXT, UINT } from '../values/kinds.js';
import { TypedColumn } from '../columns/typed-column.js';

const [QUOTE, BACKSLASH, MINUS, POINT, ZERO, NINE] = [0x22, 0x5c, 0x2d, 0x2e, 0x30, 0x39];
const [NEWLINE, SPACE, LOWER_E] = [0x0a, 0x20, 0x65];
/** Turns a letter into its lower case. */
const LOWER = 0x20;
const PLAIN_DIGITS = 15;
/** Nothing else that is written oddly is as short as `-0`, which is an integer. */
const MINUS_ZERO_LENGTH = 2;
const [TRUE, FALSE] = [Buffer.from('true'), Buffer.from('false')];
/** Floats that have no digits, by the words for them in small letters, as the engine reads them: it takes `nan` for the beginning of `null`. */
const WORDS: ReadonlyMap<string, Buffer> = new Map([
  ['nan', Buffer.from('NaN')],
  ['-nan', Buffer.from('NaN')],
  ['inf', Buffer.from('inf')],
  ['-inf', Buffer.from('-inf')],
  ['infinity', Buffer.from('inf')],
  ['-infinity', Buffer.from('-inf')],
]);
const WORD_LENGTH_MAX = 9;
const [LOWER_I, LOWER_N] = [0x69, 0x6e];

/** Tells how fields are read: by the column they go into. */
export const [AS_TEXT, AS_NUMBER, AS_TRUTH, AS_JSON, AS_ANY, AS_TYPED] = [0, 1, 2, 3, 4, 5];

export function readingOf({ type, verbatim }: Omit<JudgedColumn, 'fits'>): number {
  if (verbatim === 'arrays') return AS_JSON;
  if (type === 'Nullable(String)') return AS_TEXT;
  if (type === 'Nullable(Bool)') return AS_TRUTH;
  if (!isScalar(type)) return AS_JSON;
  return TypedColumn.of(type) ? AS_TYPED : AS_NUMBER;
}

/** A field's value as JSON has it, in bytes of its own. */
interface JsonOfField {
  readonly bytes: Buffer;
  readonly kind: number;
  readonly marks: number;
  /** Tells why no column takes the value, although it is JSON. */
  readonly fault: Fault | undefined;
}

/** Tells the kinds of fields, which in CSV are texts. */
export class CsvValues {
  /** See `kinds.ts`. */
  marks = 0;
  /** Tells whether the field read last is a number that no type holds. */
  isBeyond = false;
  /** Tells whether the field read last is a float without digits, which JSON cannot write. */
  isNoJson = false;
  /** Tells the place of the number that was read last, without the blanks around it. */
  source: Buffer;
  from = 0;
  to = 0;
  private readonly scanner: JsonScanner;
  /** A number with the digit that it lacks is written here. */
  private completed = Buffer.alloc(64);
  private completedScanner = new JsonScanner(this.completed);

  /** @param bytes the lines; the last one must end with a line break */
  constructor(private readonly bytes: Buffer) {
    this.source = bytes;
    this.scanner = new JsonScanner(bytes);
  }

  /**
   * The kind of a field that may be a number or a boolean. Any other field is a text, or a time if
   * any kind is asked for.
   */
  kindOf(from: number, to: number, reading: number): number {
    this.marks = 0;
    this.isBeyond = false;
    this.isNoJson = false;
    if (reading !== AS_TRUTH) {
      const kind = this.number(from, to);
      if (kind >= 0 || reading === AS_NUMBER) return kind >= 0 ? kind : TEXT;
    }
    if (this.isWord(TRUE, from, to) || this.isWord(FALSE, from, to)) return BOOL;
    return reading === AS_ANY ? kindOfText(this.bytes, from, to) : TEXT;
  }

  /**
   * The kind of a field without a column. A number with a point or an exponent is a fraction, even
   * if nothing is behind its point: a column of `1.0` expects `1.25`.
   */
  kindOfNew(from: number, to: number): number {
    const kind = this.kindOf(from, to, AS_ANY);
    const isOdd = (kind === INT || kind === UINT) && (this.marks & ODDLY_WRITTEN) !== 0;
    if (!isOdd || this.to - this.from === MINUS_ZERO_LENGTH) return kind;
    this.marks = 0;
    return FLOAT;
  }

  /** Tells whether a boolean field is true. */
  isTrue(from: number, to: number): boolean {
    return this.isWord(TRUE, from, to);
  }

  /**
   * Reads a number as JSON writes them, or with blanks around it, or without a digit before or
   * behind its point, as statistics programs write them: `-.5`, `5.`; also `NaN` and `inf`.
   * @returns -1 where it is none, or one that no type holds
   */
  private number(begin: number, end: number): number {
    const { bytes } = this;
    let from = begin;
    let to = end;
    while (from < to && bytes[from] === SPACE) from += 1;
    while (from < to && bytes[to - 1] === SPACE) to -= 1;
    this.source = bytes;
    this.from = from;
    this.to = to;
    if (from === to) return -1;
    const first = bytes[from] ?? 0;
    const point = first === MINUS ? from + 1 : from;
    if (bytes[point] === POINT && point + 1 < to) return this.numberWithZero(from, point, to);
    if (!isDigit(bytes[point])) return this.numberOfWord(from, point, to);
    if (this.isPlainInteger(from, to)) return INT;
    const kind = this.scanned(this.scanner, from, to);
    if (kind >= 0 || this.isBeyond) return kind;
    const behind = this.behindBarePoint(point, to);
    return behind < 0 ? -1 : this.numberWithZero(from, behind, to);
  }

  /** Writes `NaN` for `nan`, and `-inf` for `-Infinity`. */
  private numberOfWord(from: number, letter: number, to: number): number {
    const first = (this.bytes[letter] ?? 0) | LOWER;
    if ((first !== LOWER_I && first !== LOWER_N) || to - from > WORD_LENGTH_MAX) return -1;
    const word = WORDS.get(this.bytes.toString('latin1', from, to).toLowerCase());
    if (!word) return -1;
    this.source = word;
    [this.from, this.to] = [0, word.length];
    this.isNoJson = true;
    return FLOAT;
  }

  /** @returns the place behind the point of a number that has no digit there; -1 where there is none */
  private behindBarePoint(from: number, to: number): number {
    const { bytes } = this;
    let at = from;
    while (at < to && isDigit(bytes[at])) at += 1;
    if (at === from || at === to || bytes[at] !== POINT) return -1;
    const behind = at + 1;
    return behind === to || ((bytes[behind] ?? 0) | LOWER) === LOWER_E ? behind : -1;
  }

  /** Writes 0.5 for `.5`, and 5.0 for `5.`. */
  private numberWithZero(from: number, place: number, to: number): number {
    const { bytes } = this;
    const length = to - from + 1;
    if (length >= this.completed.length) {
      this.completed = Buffer.alloc(2 * length);
      this.completedScanner = new JsonScanner(this.completed);
    }
    const { completed } = this;
    for (let at = from; at < place; at += 1) completed[at - from] = bytes[at] ?? 0;
    completed[place - from] = ZERO;
    for (let at = place; at < to; at += 1) completed[at - from + 1] = bytes[at] ?? 0;
    completed[length] = NEWLINE;
    this.source = completed;
    [this.from, this.to] = [0, length];
    return this.scanned(this.completedScanner, 0, length);
  }

  private scanned(scanner: JsonScanner, from: number, to: number): number {
    scanner.at = from;
    scanner.marks = 0;
    try {
      const kind = scanner.value(0);
      if (scanner.at !== to || (kind !== INT && kind !== UINT && kind !== FLOAT)) return -1;
      this.marks = scanner.marks;
      return kind;
    } catch (error) {
      if (!(error instanceof FaultFound)) throw error;
      this.isBeyond = scanner.fault === 'beyond 64 bits' && scanner.at === to;
      return -1;
    }
  }

  /** True where the value is an integer without a sign that every type of numbers has. */
  private isPlainInteger(from: number, to: number): boolean {
    const { bytes } = this;
    if (to - from > PLAIN_DIGITS || (bytes[from] === ZERO && to - from > 1)) return false;
    for (let at = from; at < to; at += 1) if (!isDigit(bytes[at])) return false;
    return true;
  }

  private isWord(word: Buffer, from: number, to: number): boolean {
    if (to - from !== word.length) return false;
    for (let index = 0; index < word.length; index += 1)
      if (((this.bytes[from + index] ?? 0) | LOWER) !== word[index]) return false;
    return true;
  }

  /**
   * @param within is told the members of the value, each with its parent
   * @returns undefined if it is no JSON
   */
  json(
    from: number,
    to: number,
    isQuoted: boolean,
    within?: readonly [PathSurvey, number],
  ): JsonOfField | undefined {
    const bytes = unescaped(this.bytes, from, to, isQuoted);
    const scanner = new JsonScanner(bytes);
    if (within) [scanner.paths, scanner.path] = within;
    const told = (kind: number, fault: Fault | undefined, value = bytes.subarray(0, -1)) => ({
      bytes: value,
      kind,
      marks: scanner.marks,
      fault: scanner.isTooDeep ? 'too deep to read' : fault,
    });
    try {
      scanner.blanks();
      const start = scanner.at;
      const kind = scanner.value(1);
      const value = bytes.subarray(start, scanner.at);
      return scanner.blanks() === NEWLINE ? told(kind, undefined, value) : undefined;
    } catch (error) {
      if (!(error instanceof FaultFound)) throw error;
      return scanner.fault === 'malformed' ? undefined : told(TEXT, scanner.fault);
    }
  }
}

const isDigit = (byte = 0): boolean => byte >= ZERO && byte <= NINE;

/** A field's text, with a line break behind it. Line breaks between values of JSON are blanks. */
function unescaped(source: Buffer, from: number, to: number, isQuoted: boolean): Buffer {
  const bytes = Buffer.allocUnsafe(to - from + 1);
  let length = 0;
  let isWithin = false;
  let isEscaped = false;
  for (let index = from; index < to; index += 1) {
    const byte = source[index] ?? 0;
    if (byte === QUOTE && !isEscaped) isWithin = !isWithin;
    isEscaped = byte === BACKSLASH && isWithin && !isEscaped;
    const isBlank = byte === INNER_BREAK && !isWithin;
    bytes[length++] = isBlank ? SPACE : byte === INNER_BREAK ? NEWLINE : byte;
    if (byte === QUOTE && isQuoted) index += 1;
  }
  bytes[length] = NEWLINE;
  return bytes.subarray(0, length + 1);
}
