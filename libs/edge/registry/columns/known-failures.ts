import { LONG_DECIMAL, LONG_DECIMAL_WORDS } from '@app/parquet';
import { certain } from '@app/platform';

/** Failures of the engine whose own words do not say what to do, with words that do. */
const KNOWN: readonly (readonly [RegExp, string])[] = [
  [
    /Unsupported compression method/,
    'it is compressed in a way that is not read here: gzip, zstd, xz, lz4 and Brotli are',
  ],
  [/hadoop snappy decode error/, 'Snappy of whole files is read here only as Hadoop frames it: pack it by gzip or zstd'], // prettier-ignore
  [/inflate failed: buffer error/, 'it ends within what is compressed: the file was cut off'],
  [
    /inflate failed: data error/,
    'it is no gzip, or other bytes stand behind the end of it: unpack it, or pack it anew',
  ],
  [/Cannot decrypt/, 'it is encrypted Parquet, which is not read here'],
  [
    /Cannot parse input: expected '?.'? before: '(-?Inf)/i,
    'JSON has no word for an infinity: write null, or declare its column in `schema` as Float64 (json.dumps of Python writes it, allow_nan=False finds it)',
  ],
  [
    /Cannot parse input: expected ',' before: '\d/,
    'a number has more digits than the 20 that can be told from JSON: declare its column in `schema` as Utf8, or write it in quotes',
  ],
  [
    /JSON\w* format file\. Cannot parse input: expected '\{' before: '((?:[^'\\]|\\.){1,40})/,
    'want a JSON object where "$1" stands: a table is an array of objects, one object, or objects each on a line; pointer= says where in the file its rows are',
  ],
  [
    /from a JSON\w* format file\. Cannot read rows from the data/,
    'no record in it has a field, so nothing tells its columns: declare them in `schema`',
  ],
  [
    /missing second part of surrogate pair/,
    'a text has half of a surrogate pair (\\uD800 to \\uDFFF), which is no character: write it otherwise',
  ],
  [
    /(?:Tuple doesn't have element with name|Cannot read array from text).*\(while reading the value of key (.+?)\)/,
    'column "$1" has within its lists or objects values of kinds that no type here has together: declare it in `schema` as Utf8',
  ],
  [
    /Names of tuple elements cannot be empty/,
    'an object has a field without a name (""), which no table here can have: give it one, or declare the column in `schema` as Utf8',
  ],
  [
    /Tuple element name 'null' is reserved/,
    'an object has a field "null", which no table here can have: call it otherwise, or declare the column in `schema` as Utf8',
  ],
  [
    /does not support the `null` type in schema inference \(field '(.*?)'\)/,
    'column "$1" is of Arrow\'s type null, which is read without a schema of files on this machine alone: declare it in `schema`',
  ],
  [
    /Rows have different amount of values/,
    'its lines have different numbers of fields: each must have as many as the first; delimiter= says what parts them',
  ],
  [
    /number of column names (\d+) differs with the number of types (\d+)/,
    'its first line has $1 fields, and others have $2: each must have as many; delimiter= says what parts them',
  ],
  [/Not a Parquet file/, 'it is no Parquet file, or was cut off, or is encrypted'],
  [
    /Page CRC checksum verification failed.*column: (.+?)\.?$/,
    'column "$1" has other bytes than its checksums say: the file is damaged, or its writer computed them wrongly; write it anew',
  ],
  [
    /INT96 timestamp out of range.*column: (.+?)\.?$/,
    'column "$1" has a time in 96 bits before 1678 or after 2262, which is not read here: write it as a timestamp of 64 bits, or leave the column out by `schema`',
  ],
  [
    /(Range out of bounds|Malformed \w+ compressed page|Page size out of bounds|Row group \d+ has negative row count)/,
    'it is damaged, or was cut off ($1)',
  ],
  [
    /Parquet decimal value too long: (\d+) bytes.*column '(.+?)'/,
    'column "$2" has decimals of $1 bytes, and 32 are the most that are read here: write it as text, or leave it out by `schema`',
  ],
  [LONG_DECIMAL, LONG_DECIMAL_WORDS],
  [
    /\bconvert overflow: /i,
    'a number in it is more than its type holds: declare a wider one in `schema`, or Utf8',
  ],
  [/Cannot parse string '(column ".*? declare it in `schema` as Utf8)' as Int64/, '$1'],
  [/database is locked/, 'another program has locked the database: try again when it has written'],
  [/Parquet file has no columns/, 'it has no columns'],
  [/there are no files with provided path/, 'there is no file in it whose name ends as those of its format do'], // prettier-ignore
  [
    /out of allowed Date32 range.*column: (.+?)(?:: \(in file|$)/,
    'column "$1" has a day before 1900 or after 2299, which no type here holds: write it as text, or leave the column out by `schema`',
  ],
  [
    /Unsupported Delta table type: '(\w+)'/,
    'it has a column of the type "$1", which is not read here: write the table without it',
  ],
  [/because all files are empty/, 'there is nothing in it'],
  [/from a CSV\w* format file.*Expected end of line/s, 'a value in quotes ends, and no delimiter follows it: delimiter= says which one the file has'], // prettier-ignore
  [
    /Requested column (.+?) is part of another requested column/,
    'it has a column $1 beside a struct with such a field, and only one of them can be found by its name: call one of them otherwise',
  ],
  [
    /AST is too big/,
    'it has too many columns, or columns with too long names, for one statement: declare those that are wanted in `schema`',
  ],
  [
    /Duplicate column name found while schema inference: "(.*?)"/,
    'a record has the field "$1" twice: which of them counts is nowhere said',
  ],
  [
    /Automatically defined type (.+?) for column '(.+?)' in row \d+ differs from type defined by previous rows: (.+?)\.?$/,
    'column "$2" has values of kinds that no type here has together ($3, and $1): declare it in `schema` as Utf8',
  ],
  [
    /Automatically inferred type (.+?) for column '(.+?)' in file .* differs from type inferred from previous files: ([^:]+)/,
    'column "$2" is $1 in one of its files and $3 in another, and no type has both: declare it in `schema`',
  ],
];

/** @returns what is wrong and what to do, where that is known better than the engine says it */
export function knownFailure(sentence: string): string | undefined {
  for (const [pattern, words] of KNOWN) {
    const found = pattern.exec(sentence);
    if (found)
      return words.replace(/\$(\d)/g, (_, at: string) =>
        certain(found[Number(at)], 'words of the engine'),
      );
  }
  return undefined;
}
