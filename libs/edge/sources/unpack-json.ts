import { quoteText } from '@app/warehouse';
import { settingsClause, type Source } from './source.js';

/**
 * The statement that writes the elements of a JSON array to a file, one a line; those of an object
 * with their names. The engine extracts them, so the document may have any size.
 * @param pointer to the array or object, by RFC 6901; '' is the whole document.
 * @param raw the document as one value, in a column `raw`.
 */
export function unpackJson(raw: Source, pointer: string, file: string): string {
  const all = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(within, 'raw');
  return (
    `INSERT INTO FUNCTION file(${quoteText(file)}, TSVRaw, 'line String')` +
    ` SELECT arrayJoin(if(JSONType(${all}) = 'Object', ${pairsOf(all)}, JSONExtractArrayRaw(${all}))) FROM ${raw.call([{ name: 'raw', type: 'String' }])}` +
    settingsClause({ ...raw.settings, engine_file_truncate_on_insert: '1' })
  );
}

const pairsOf = (object: string): string =>
  `arrayMap(pair -> concat('{"key": ', toJSONString(tupleElement(pair, 1)), ', "value": ', tupleElement(pair, 2), '}'), JSONExtractKeysAndValuesRaw(${object}))`;

/** One step of a pointer: digits count within an array, and are a key of an object. */
function within(value: string, token: string): string {
  const key = `JSONExtractRaw(${value}, ${quoteText(token)})`;
  if (!/^(?:0|[1-9]\d{0,8})$/.test(token)) return key;
  return `if(JSONType(${value}) = 'Array', JSONExtractRaw(${value}, ${Number(token) + 1}), ${key})`;
}
