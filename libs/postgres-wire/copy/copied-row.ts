import type { CopyOptions } from './copy-statement.js';

/** The type of a message, and its length. */
const HEAD_BYTES = 5;
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;

/** The values of a message DataRow. */
function valuesOf(row: Buffer): readonly (Buffer | null)[] {
  let at = HEAD_BYTES + COUNT_BYTES;
  return Array.from({ length: row.readUInt16BE(HEAD_BYTES) }, () => {
    const length = row.readInt32BE(at);
    at += LENGTH_BYTES;
    if (length < 0) return null;
    at += length;
    return row.subarray(at - length, at);
  });
}

/** The names of a message RowDescription. */
export function namesOf(description: Buffer): readonly Buffer[] {
  const FIELD_BYTES = 18;
  let at = HEAD_BYTES + COUNT_BYTES;
  return Array.from({ length: description.readUInt16BE(HEAD_BYTES) }, () => {
    const end = description.indexOf(0, at);
    const name = description.subarray(at, end);
    at = end + 1 + FIELD_BYTES;
    return name;
  });
}

/** One row as COPY writes it: the binary form is the message without its head. */
export function copiedRow(row: Buffer, options: CopyOptions): Buffer {
  if (options.format === 'binary') return row.subarray(HEAD_BYTES);
  return lineOf(valuesOf(row), options);
}

/** A line of text, or of CSV. */
export function lineOf(values: readonly (Buffer | null)[], options: CopyOptions): Buffer {
  const { delimiter, nullText, format } = options;
  const isAlone = values.length === 1;
  const cells = values.map((value) => {
    if (value === null) return nullText;
    const text = value.toString('utf8');
    return format === 'csv' ? quoted(text, options, isAlone) : escaped(text, delimiter);
  });
  return Buffer.from(`${cells.join(delimiter)}\n`);
}

const LETTERS: Readonly<Record<string, string>> = {
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
  '\v': 'v',
};

function escaped(text: string, delimiter: string): string {
  const written = text.replace(/[\\\b\f\n\r\t\v]/g, (each) => `\\${LETTERS[each] ?? each}`);
  return delimiter === '\t' ? written : written.replaceAll(delimiter, `\\${delimiter}`);
}

function quoted(text: string, options: CopyOptions, isAlone: boolean): string {
  const { quote, escape, delimiter, nullText } = options;
  const isPlain =
    text !== nullText &&
    !/[\n\r]/.test(text) &&
    !text.includes(delimiter) &&
    !text.includes(quote) &&
    // A line with nothing else would end what is copied.
    !(isAlone && text === '\\.');
  if (isPlain) return text;
  const within = [...text].map((each) =>
    each === quote || each === escape ? escape + each : each,
  );
  return `${quote}${within.join('')}${quote}`;
}
