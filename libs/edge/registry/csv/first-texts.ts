import type { CsvField } from './csv-records.js';

type Kind = 'integer' | 'long integer' | 'fraction' | 'moment' | 'text';

/** Leading zeros and a plus make a text of a number. */
const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const FRACTION = /^(?:-?(?:0|[1-9]\d*)?(?:\.\d*)?(?:e[-+]?\d+)?|[-+]?(?:nan|inf|infinity))$/i;
const MOMENT =
  /^(\d{4})([-/])(\d\d)\2(\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[-+]\d\d:?\d\d)?)?$/;
/** A declared column of numbers takes more notations. */
const BEGUN_AS_NUMBER = /^[-+]?(?:\d|\.\d|nan\b|inf)/i;
/** Integers of fewer digits are the same as floats. */
const LONG_DIGITS = 16;

function kindOf(text: string): Kind {
  if (INTEGER.test(text)) {
    const { length } = text.replace('-', '');
    if (length < LONG_DIGITS) return 'integer';
    return BigInt.asIntN(64, BigInt(text)) === BigInt(text) ? 'long integer' : 'text';
  }
  if (/\d|n/i.test(text) && FRACTION.test(text))
    return /\d/.test(text) && !Number.isFinite(Number(text)) ? 'text' : 'fraction';
  const [, year = '', , month = '', day = ''] = MOMENT.exec(text) ?? [];
  if (year < '1900' || year > '2299') return 'text';
  const isThere = new Date(`${year}-${month}-${day}`).getUTCDate() === Number(day);
  return isThere ? 'moment' : 'text';
}

/** Looks for blanks before the first values of records, which are a matter only for a column of texts. */
export class FirstTexts {
  private readonly kinds = new Set<Kind>();
  private padded: { readonly line: number; readonly text: string } | undefined;

  /** @param areTold the columns are declared */
  constructor(private readonly areTold = false) {}

  take(field: CsvField | undefined, line: number): void {
    const value = field?.text.replace(/^[ \t]+|[ \t]+$/g, '') ?? '';
    if (field === undefined || value === '') return;
    this.kinds.add(this.areTold && BEGUN_AS_NUMBER.test(value) ? 'integer' : kindOf(value));
    if (!field.isQuoted && /^[ \t]/.test(field.text)) this.padded ??= { line, text: field.text };
  }

  /** The first of them, where the column is one of texts. */
  get paddedText(): { readonly line: number; readonly text: string } | undefined {
    const has = (...some: readonly Kind[]): boolean => some.some((kind) => this.kinds.has(kind));
    const isExact = !has('fraction') || !has('long integer');
    const isOne = has('integer', 'long integer', 'fraction') !== has('moment');
    return has('text') || !isOne || !isExact ? this.padded : undefined;
  }
}
