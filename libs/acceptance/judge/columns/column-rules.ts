import type { Verbatim } from '@app/streams';
import {
  BEYOND_FLOAT,
  BOOL,
  CHANGED_IN_MIXED_ARRAYS,
  CHANGED_IN_OBJECTS,
  EMPTY_ARRAY,
  FLOAT,
  FLOATS,
  HAS_NULL,
  INT,
  INTS,
  LONG_INTEGER,
  MIXED_ARRAY,
  NEGATIVE,
  NONE,
  TEXT,
  UINT,
  UINTS,
  WALL_TIME,
} from '../values/kinds.js';
import type { JudgedColumn } from '../chunk/judge-job.js';
import { TypedColumn } from './typed-column.js';

/** The demands of a column's type beyond the kinds that fit into it. */
const [ANY, INTEGERS, UNSIGNED, FRACTIONS, LIST, OBJECTS, MIXED_LIST] = [0, 1, 2, 3, 4, 5, 6];

const RULES = new Map([
  ['Nullable(Int64)', INTEGERS],
  ['Nullable(UInt64)', UNSIGNED],
  ['Nullable(Float64)', FRACTIONS],
  ['Array(Nullable(Int64))', INTEGERS],
  ['Array(Nullable(UInt64))', UNSIGNED],
  ['Array(Nullable(Float64))', FRACTIONS],
  ['JSON', OBJECTS],
  ['Nullable(JSON)', OBJECTS],
  ['Array(JSON)', OBJECTS],
  ['Array(Dynamic)', MIXED_LIST],
]);

/** The kinds of values that a column has as they were written, the first and the last. */
const WRITTEN: Readonly<Record<Verbatim, readonly [number, number]>> = {
  scalars: [BOOL, TEXT],
  arrays: [EMPTY_ARRAY, MIXED_ARRAY],
};

/**
 * Says which values a column takes: by a value's kind, and by the marks of the value beside that.
 */
export class ColumnRules {
  /** It exists for a column whose values are each looked at. */
  readonly typed: TypedColumn | undefined;
  private readonly rule: number;
  private readonly isArray: boolean;

  constructor(
    private readonly column: JudgedColumn,
    /**
     * Tells whether a column of integers may hold any integer. Such a column never becomes one of
     * floats.
     */
    private readonly isExact: boolean,
  ) {
    this.typed = TypedColumn.of(column.type);
    this.isArray = column.type.startsWith('Array(');
    this.rule = RULES.get(column.type) ?? (this.isArray ? LIST : ANY);
  }

  /**
   * Tells whether a value goes in without loss. For a column whose values are looked at, it tells
   * whether any value of the kind does.
   */
  takes(kind: number, marks: number): boolean {
    if (kind === NONE) return true;
    if (this.typed) return false;
    const { verbatim } = this.column;
    if (verbatim) return kind >= WRITTEN[verbatim][0] && kind <= WRITTEN[verbatim][1];
    if (kind === EMPTY_ARRAY)
      return this.isArray && (this.rule !== OBJECTS || (marks & HAS_NULL) === 0);
    const { rule } = this;
    const fits = ((this.column.fits >> kind) & 1) === 1;
    if (rule === FRACTIONS) {
      // An integer that is written as a fraction becomes the nearest float, of any size.
      const isFloat = kind === (this.isArray ? UINTS : UINT);
      return (fits || isFloat) && (marks & LONG_INTEGER) === 0;
    }
    return fits && !(rule === UNSIGNED && (marks & NEGATIVE) !== 0) && !this.changes(marks);
  }

  /** Tells whether the engine would change something in a nested value. */
  private changes(marks: number): boolean {
    if (this.rule === OBJECTS) return (marks & CHANGED_IN_OBJECTS) !== 0;
    return this.rule === MIXED_LIST && (marks & CHANGED_IN_MIXED_ARRAYS) !== 0;
  }

  /** Tells whether a value that the column takes is to be written as a text, in quotes. */
  quotes(kind: number): boolean {
    return this.column.verbatim !== undefined && kind !== NONE && kind !== TEXT;
  }

  /**
   * Tells whether the schema might change for a value: it would fit if the column were one of floats, or
   * it fits only as long as the column never becomes one.
   */
  mightChangeFor(kind: number, marks: number): boolean {
    if (this.typed) return !this.isExact && this.isWider(kind);
    if (this.rule !== INTEGERS) return false;
    if (kind === (this.isArray ? FLOATS : FLOAT)) return true;
    const isInteger = kind === (this.isArray ? INTS : INT);
    return isInteger && (marks & BEYOND_FLOAT) !== 0 && !this.isExact;
  }

  /**
   * Tells whether a wider column might take a value that this column, whose values are looked at,
   * does not take.
   */
  private isWider(kind: number): boolean {
    if (this.typed?.isOfDays === true) return kind === WALL_TIME;
    if (this.typed?.isOfIntegers !== true) return false;
    const [least, most] = this.isArray ? [INTS, FLOATS] : [INT, FLOAT];
    return kind >= least && kind <= most;
  }

  /** Tells whether the engine must find integers written as such. */
  get isOfIntegers(): boolean {
    return this.rule === INTEGERS || this.rule === UNSIGNED;
  }

  whyNot(marks: number): string {
    if (this.typed) return this.typed.whyNot();
    const { verbatim } = this.column;
    if (verbatim)
      return `does not fit the column, which is text of ${verbatim === 'arrays' ? 'arrays' : 'single values'} as they were written`;
    if (this.changes(marks))
      return `has something within it that the column's type, ${this.column.type}, would change; send it as text`;
    return `does not fit the column's type, ${this.column.type}, without loss`;
  }
}
