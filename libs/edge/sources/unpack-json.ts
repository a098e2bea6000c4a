import { quoteText } from '@app/warehouse';
import { settingsClause, type Source } from './source.js';

/**
 * The statement that writes the elements of a JSON array to a file, one a line. The engine extracts
 * them, so the document may have any size.
 * @param pointer to the array, by RFC 6901; '' is the whole document.
 * @param raw the document as one value, in a column `raw`.
 */
export function unpackJson(raw: Source, pointer: string, file: string): string {
  const array = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(within, 'raw');
  return (
    `INSERT INTO FUNCTION file(${quoteText(file)}, TSVRaw, 'line String')` +
    ` SELECT arrayJoin(JSONExtractArrayRaw(${array})) FROM ${raw.call([{ name: 'raw', type: 'String' }])}` +
    settingsClause({ ...raw.settings, engine_file_truncate_on_insert: '1' })
  );
}

/** One step of a pointer: digits count within an array, and are a key of an object. */
function within(value: string, token: string): string {
  const key = `JSONExtractRaw(${value}, ${quoteText(token)})`;
  if (!/^(?:0|[1-9]\d{0,8})$/.test(token)) return key;
  return `if(JSONType(${value}) = 'Array', JSONExtractRaw(${value}, ${Number(token) + 1}), ${key})`;
}
