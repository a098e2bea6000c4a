import { quoteText } from '@app/warehouse';
import { type Field, isTimeField, storedKind } from '@app/acceptance';
import { brokenTable } from './table-folder.js';

const TIMESTAMP_TEXT = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]00:?00)?$/;
const NUMBERS: Readonly<Record<string, RegExp>> = {
  Int64: /^-?\d+$/,
  Float64: /^-?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|Infinity|NaN)$/,
  Bool: /^(?:true|false)$/,
};

/**
 * SQL for the value that a partition column has in all rows of a file, as rows of a table are
 * stored. An empty text is null, whatever the column's type.
 * @throws {MillraceError} MALFORMED_BODY when it is no value of the column.
 */
export function partitionValue(field: Field, text: string | null | undefined): string {
  const { name, type } = field;
  const isTime = isTimeField(field);
  const kind = isTime ? 'Int64' : storedKind(type);
  const cast = (sql: string): string => `CAST(${sql}, 'Nullable(${kind})')`;
  if (text === null || text === undefined || text === '') return cast('NULL');
  const wrong = brokenTable(
    `partition value ${JSON.stringify(text)} of column ${JSON.stringify(name)} is no ${type.kind}`,
  );
  if (type.kind === 'timestamp' || type.kind === 'date') {
    const written = type.kind === 'timestamp' ? timestampText(text, type.utc) : dateText(text);
    if (written === undefined) throw wrong;
    if (!isTime) return cast(quoteText(written));
    return cast(
      `toUnixTimestamp64Micro(parseDateTime64BestEffort(${quoteText(written)}, 6, 'UTC'))`,
    );
  }
  if (type.kind === 'binary')
    return cast(quoteText(Buffer.from(text, 'latin1').toString('base64')));
  if (type.kind === 'decimal') {
    if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw wrong;
    const decimal = `toDecimal256(${quoteText(text)}, ${type.scale})`;
    return cast(kind === 'String' ? `toString(${decimal})` : `to${kind}(${decimal})`);
  }
  if (NUMBERS[kind]?.test(text) === false) throw wrong;
  return cast(quoteText(text));
}

const dateText = (text: string): string | undefined =>
  /^-?\d{4,}-\d\d-\d\d$/.test(text) ? text : undefined;

function timestampText(text: string, utc: boolean): string | undefined {
  const match = TIMESTAMP_TEXT.exec(text);
  if (!match) return undefined;
  const [, date = '', time = '', fraction = ''] = match;
  return `${date}T${time}.${fraction.padEnd(6, '0')}${utc ? 'Z' : ''}`;
}
