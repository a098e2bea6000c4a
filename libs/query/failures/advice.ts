// Mistakes that people often make in statements, and what to write instead.
const VALUES = 'a value from outside is written {name:Type}, and sent as param_name';
const NOT_CLOSED = /^(.{1,40} is not closed)\b/;
const CURLY_QUOTE = /^[\u2018-\u201f]/;
const TABLE_BEFORE = /\b(?:from|join)\s+([\w.-]+)$/i;

/** @returns the end of a message about a name that is no column; empty where there is no advice. */
export function adviceOnName(name: string, text: string): string {
  if (/^\$\d+$/.test(name)) return `; ${VALUES}`;
  if (!text.includes(`"${name}"`) && !text.includes(`\u201c${name}\u201d`)) return '';
  return `; a text stands in single quotes: '${name.replaceAll("'", "''")}'`;
}

/** @param reason the engine's message on a column beside aggregates */
export function ungrouped(reason: string): string {
  const column = /^Column [`'](.+?)[`'] is not under aggregate/.exec(reason)?.[1];
  if (column === undefined) return reason;
  const name = column.replace(/^.*\./, '');
  return `${column} is neither a key of GROUP BY nor within an aggregate: GROUP BY ${name}, or max(${name})`;
}

/**
 * @param reason the engine's message
 * @param before the statement up to the place of the fault
 * @param near what stands at that place
 */
export function adviceOnSyntax(
  reason: string,
  before: string,
  near: string | undefined,
): string | undefined {
  const notClosed = NOT_CLOSED.exec(reason)?.[1];
  if (notClosed !== undefined) return `${notClosed.charAt(0).toLowerCase()}${notClosed.slice(1)}`;
  if (near === undefined) return undefined;
  if (near === '?' || (/^[:@{]/.test(near) && /(?:[=<>(,]|\bIN|\bLIKE|\{)\s*$/i.test(before))) return VALUES; // prettier-ignore
  if (CURLY_QUOTE.test(near)) return `${near.charAt(0)} is a curly quote; a text stands in straight ones, '…'`; // prettier-ignore
  const table = near.startsWith('-') ? TABLE_BEFORE.exec(before)?.[1] : undefined;
  return table === undefined ? undefined : `a name with "-" stands in backquotes: \`${table}-…\``;
}
