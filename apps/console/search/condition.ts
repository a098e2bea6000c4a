import type { Field } from '../api/schema.js';
import { quotedName, quotedPath } from '../editor/error-place.js';

/**
 * It matches one piece of what somebody typed: `status=500`, `name!="two words"`, or a word. A
 * name that is odd stands between backticks.
 */
const PIECE =
  /(?:(`[^`]*`|[^\s"'`=<>!]+)(!=|>=|<=|=|>|<))?(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))|(\S)/gu;
const NUMERIC = /^(?:U?Int|Float|Decimal)/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const ODD = /[\s"'`=<>!]/u;

/**
 * Writes SQL for rows that have all that somebody typed; it is empty for all rows.
 * @param fields are those of the stream: what looks like a comparison with another one is words
 */
export function conditionOf(typed: string, fields: readonly Field[]): string {
  const words: string[] = [];
  const conditions: string[] = [];
  for (const [whole, named, operator, quoted, plain] of typed.matchAll(PIECE)) {
    const name = named?.replace(/^`|`$/g, '');
    const field = fields.find((each) => each.name === name);
    const text = quoted === undefined ? (plain ?? whole) : quoted.replace(/\\(.)/g, '$1');
    if (field && operator !== undefined)
      conditions.push(compared(field, operator, text, quoted !== undefined, fields));
    else words.push(named === undefined ? text : whole);
  }
  const found = words.length > 0 ? [`match_all(${quotedText(words.join(' '))})`] : [];
  return [...conditions, ...found].join(' AND ');
}

/**
 * Writes the piece that somebody would type for "only rows that have this value there", or those
 * that have not.
 */
export function pieceFor(name: string, operator: '=' | '!=', value: string): string {
  const written = ODD.test(name) ? `\`${name}\`` : name;
  return `${written}${operator}"${value.replace(/[\\"]/g, '\\$&')}"`;
}

function compared(
  field: Field,
  operator: string,
  text: string,
  isQuoted: boolean,
  fields: readonly Field[],
): string {
  const name = sqlName(field.name, fields);
  if (!isQuoted && text === 'null' && operator === '=') return `${name} IS NULL`;
  if (!isQuoted && text === 'null' && operator === '!=') return `${name} IS NOT NULL`;
  const isPlain =
    (NUMERIC.test(field.type) && NUMBER.test(text)) ||
    (field.type === 'Boolean' && /^(?:true|false)$/.test(text));
  const value = isPlain ? text : quotedText(text);
  // Rows without a value also count as not having that value.
  if (operator === '!=') return `(${name} != ${value} OR ${name} IS NULL)`;
  return `${name} ${operator} ${value}`;
}

/** A dot is a step into an object where there is one, and otherwise belongs to a column's name. */
function sqlName(name: string, fields: readonly Field[]): string {
  const isWithin = fields.some(
    (each) => each.type === 'Struct' && name.startsWith(`${each.name}.`),
  );
  return isWithin ? quotedPath(name) : quotedName(name);
}

const quotedText = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
