import { FAULT_FOUND, NESTING_MAX, READ_MAX, type Fault } from './fault.js';
import {
  BEYOND_FLOAT,
  BOOL,
  FLOAT,
  HAS_NULL,
  INT,
  kindOfArray,
  LONG_INTEGER,
  MIXED_ARRAY,
  NEGATIVE,
  NONE,
  OBJECT,
  TEXT,
} from '../values/kinds.js';
import { tellDecimal } from '../values/decimal-bytes.js';
import { BEYOND_64_BITS, kindIn, marksIn, tellInteger } from '../values/number-text.js';
import { marksOfArray, marksOfObject } from './nesting-marks.js';
import { namedTwice } from './named-twice.js';
import { NO_PATH, type PathSurvey } from './path-survey.js';
import { endOfPlain } from './plain-text.js';
import { endOfEscape } from './text-escape.js';

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [PLUS, MINUS, DOT, ZERO, NINE] = [0x2b, 0x2d, 0x2e, 0x30, 0x39];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const LOWER_E = 0x65;
const SPACE = 0x20;
/** Turns a letter into its lower case. */
const LOWER = 0x20;

/** Every type of numbers holds an integer with fewer digits. */
const SAFE_DIGITS = 15;
/** A float holds all integers of so many digits. 64 bits hold all of so many digits whose first digit is not 9. */
const [FLOAT_DIGITS, INT_DIGITS] = [16, 19];
/** A fraction of so many digits may be so small that a float becomes zero. */
const FRACTION_DIGITS_MAX = 300;

/**
 * Reads JSON by its grammar (RFC 8259), strictly, and tells kinds. It works on bytes, because
 * making a text of them costs more than all the rest. A line break is no blank here, since a record
 * is a line. The byte behind the last one must be a line break.
 */
export class JsonScanner {
  at = 0;
  fault: Fault = 'malformed';
  /** The marks of the values read since they were set to 0; see `kinds.ts`. */
  marks = 0;
  /** Tells whether the current record is too deep to be stored. It is still read to its end. */
  isTooDeep = false;
  /** Tells whether the text read last has an escape. */
  hasEscape = false;
  /** The beginnings and ends of the names of the objects that are being read. The innermost name is the last. */
  private readonly spans: number[] = [];
  /** The number of arrays and objects around the current value, without the record itself. */
  private arrays = 0;
  private objects = 0;

  /** Collects the paths of fields within objects, but not of those within arrays. */
  paths: PathSurvey | undefined;
  /** The path of the object that is read next. */
  path = NO_PATH;

  private readonly words: DataView;

  constructor(readonly bytes: Buffer) {
    this.words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Begins a record, and forgets the state of a record that ended with a fault. */
  begin(at: number): void {
    this.at = at;
    this.isTooDeep = false;
    this.arrays = 0;
    this.objects = 0;
    if (this.spans.length > 0) this.spans.length = 0;
  }

  /** Skips blanks. @returns the byte that is there then. */
  blanks(): number {
    const byte = this.bytes[this.at] ?? 0;
    return byte > SPACE ? byte : this.behindBlanks();
  }

  private behindBlanks(): number {
    const { bytes } = this;
    let byte = bytes[this.at] ?? 0;
    while (byte === SPACE || byte === 0x09 || byte === 0x0d) byte = bytes[++this.at] ?? 0;
    return byte;
  }

  /** @throws {FaultFound} when the next byte that is no blank is a different one. */
  expect(byte: number): void {
    if (this.blanks() !== byte) this.fail('malformed');
    this.at += 1;
  }

  /** Reads what follows a member or an element: a comma, or the end. @returns whether another one comes */
  goesOn(close: number): boolean {
    const byte = this.blanks();
    // The byte that ended a line too early must still be there, because the next record begins
    // behind it.
    if (byte !== COMMA && byte !== close) this.fail('malformed');
    this.at += 1;
    return byte === COMMA;
  }

  private tooDeep(depth: number): void {
    this.isTooDeep = true;
    if (depth > READ_MAX) this.fail('too deep to read');
  }

  fail(fault: Fault): never {
    this.fault = fault;
    throw FAULT_FOUND;
  }

  /** Reads a text, from its opening quote on. */
  text(): void {
    const { bytes, words } = this;
    let at = this.at + 1;
    this.hasEscape = false;
    for (;;) {
      at = endOfPlain(bytes, words, at);
      const byte = bytes[at];
      if (byte === QUOTE) break;
      if (byte !== BACKSLASH) this.fail('malformed');
      this.hasEscape = true;
      const end = endOfEscape(bytes, at);
      at = typeof end === 'number' ? end : this.fail(end);
    }
    this.at = at + 1;
  }

  /** Reads any value, from its first byte on. @returns its kind. */
  value(depth: number): number {
    switch (this.bytes[this.at]) {
      case QUOTE:
        this.text();
        return TEXT;
      case OPEN_OBJECT:
        this.object(depth + 1);
        return OBJECT;
      case OPEN_ARRAY:
        return kindOfArray(this.array(depth + 1));
      case 0x74:
        return this.literal('true', BOOL);
      case 0x66:
        return this.literal('false', BOOL);
      case 0x6e:
        return this.literal('null', NONE);
      default:
        return this.number();
    }
  }

  private literal(text: string, kind: number): number {
    for (let index = 1; index < text.length; index += 1)
      if (this.bytes[this.at + index] !== text.charCodeAt(index)) this.fail('malformed');
    this.at += text.length;
    return kind;
  }

  private object(depth: number): void {
    if (depth > NESTING_MAX) this.tooDeep(depth);
    this.objects += 1;
    this.membersOf(depth);
    this.objects -= 1;
  }

  private membersOf(depth: number): void {
    const { bytes, spans, paths, path } = this;
    const base = spans.length;
    let escaped = false;
    let before = NO_PATH;
    this.at += 1;
    let goesOn = this.blanks() !== CLOSE_OBJECT;
    if (!goesOn) this.at += 1;
    while (goesOn) {
      if (this.blanks() !== QUOTE) this.fail('malformed');
      const start = this.at;
      this.text();
      spans.push(start, this.at);
      escaped ||= this.hasEscape;
      if (path >= 0 && paths)
        before = paths.child(path, before, bytes, start, this.at, this.hasEscape);
      this.expect(COLON);
      this.blanks();
      this.valueAt(path >= 0 ? before : NO_PATH, depth);
      goesOn = this.goesOn(CLOSE_OBJECT);
    }
    if (spans.length - base > 2 && namedTwice(bytes, spans.slice(base), escaped))
      this.fail('named twice within');
    this.marks |= marksOfObject(bytes, spans, base, this.arrays);
    spans.length = base;
  }

  private valueAt(path: number, depth: number): void {
    this.path = path;
    if (path < 0) {
      this.value(depth);
      return;
    }
    const { marks } = this;
    this.marks = 0;
    const kind = this.value(depth);
    this.paths?.see(path, kind, this.marks);
    this.marks |= marks;
  }

  /** @returns the kinds of its elements, one bit for each. */
  private array(depth: number): number {
    if (depth > NESTING_MAX) this.tooDeep(depth);
    let kinds = 0;
    this.at += 1;
    if (this.blanks() === CLOSE_ARRAY) {
      this.at += 1;
      return 0;
    }
    this.arrays += 1;
    this.path = NO_PATH;
    // Marks of the values beside the array say nothing about its elements.
    const { marks } = this;
    this.marks = 0;
    for (;;) {
      this.blanks();
      const kind = this.value(depth);
      if (kind === NONE) this.marks |= HAS_NULL;
      kinds |= 1 << Math.min(kind, MIXED_ARRAY);
      if (!this.goesOn(CLOSE_ARRAY)) break;
    }
    this.arrays -= 1;
    this.marks = marks | marksOfArray(kinds, this.marks, this.arrays, this.objects);
    return kinds;
  }

  private number(): number {
    const { bytes } = this;
    const start = this.at;
    const isNegative = bytes[start] === MINUS;
    const first = isNegative ? start + 1 : start;
    let at = this.digits(first);
    // A number that begins with zero is zero.
    if (bytes[first] === ZERO && at > first + 1) this.fail('malformed');
    const length = at - first;
    let byte = bytes[at] ?? 0;
    if (byte !== DOT && (byte | LOWER) !== LOWER_E) {
      this.at = at;
      if (isNegative && bytes[first] === ZERO) return this.told(tellInteger('-0'));
      if (isNegative) this.marks |= NEGATIVE;
      const byNine = (bytes[first] ?? 0) < NINE ? length : length + 1;
      if (length <= SAFE_DIGITS || byNine === FLOAT_DIGITS) return INT;
      if (length === FLOAT_DIGITS || byNine > INT_DIGITS)
        return this.told(tellInteger(this.written(start)));
      this.marks |= BEYOND_FLOAT | LONG_INTEGER;
      return INT;
    }
    let isFraction = false;
    if (byte === DOT) {
      const point = at;
      at = this.digits(at + 1);
      byte = bytes[at] ?? 0;
      for (let index = point + 1; index < at && !isFraction; index += 1)
        isFraction = bytes[index] !== ZERO;
    }
    if ((byte | LOWER) === LOWER_E) {
      isFraction = false;
      const sign = bytes[at + 1];
      at = this.digits(sign === MINUS || sign === PLUS ? at + 2 : at + 1);
    }
    this.at = at;
    if (isFraction && at - start < FRACTION_DIGITS_MAX) return FLOAT;
    return this.told(tellDecimal(bytes, start, at));
  }

  /** @returns the end of the digits; there is at least one. */
  private digits(from: number): number {
    const { bytes } = this;
    let at = from;
    for (let byte = bytes[at] ?? 0; byte >= ZERO && byte <= NINE; byte = bytes[at] ?? 0) at += 1;
    if (at === from) this.fail('malformed');
    return at;
  }

  private told(told: number): number {
    if (told === BEYOND_64_BITS) this.fail('beyond 64 bits');
    this.marks |= marksIn(told);
    return kindIn(told);
  }

  private written(start: number): string {
    return this.bytes.toString('latin1', start, this.at);
  }
}
