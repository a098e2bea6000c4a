import { readElement, readEngineType } from '@app/query';
import { quoteText, WarehouseError, type Column, type SourceEngine } from '@app/warehouse';
import { settingsClause, type Source } from '../../sources/source.js';

/** A key with an escape in it, `"\u0061"`, may be the key of any field. */
const ESCAPED_KEY = String.raw`\\[^"\\]*"\s*:`;

/** Keys whose values are numbers or truths, alone or in a list. */
interface Keys {
  readonly single: Set<string>;
  readonly listed: Set<string>;
  /** False if some of them have no key of their own, or one that is written with escapes. */
  isKnown: boolean;
}

/**
 * Tells whether a text may stand in a column of numbers or truths of JSON: the engine would read
 * `"5"` as 5, and reads both as the same text. So the lines are searched for a quote behind a key.
 * A value that begins in the next line counts as one.
 */
export async function mayQuoteNumbers(
  columns: readonly Column[],
  { lines, settings }: Source,
  statements: SourceEngine['statements'],
): Promise<boolean> {
  const keys: Keys = { single: new Set(), listed: new Set(), isKnown: true };
  for (const { name, type } of columns) collect(name, type, keys);
  if (keys.single.size === 0 && keys.listed.size === 0) return !keys.isKnown;
  if (!keys.isKnown || lines === undefined) return true;
  const patterns = [
    ESCAPED_KEY,
    ...behind(keys.single, '"|$'),
    ...behind(keys.listed, String.raw`$|\[[^\]]*(?:"|$)`),
  ];
  const isFound = `match(line, ${quoteText(patterns.join('|'))})`;
  const sql = `SELECT 1 FROM ${lines} WHERE ${isFound} LIMIT 1${settingsClause(settings)} FORMAT TSVRaw`;
  try {
    return (await statements.run(sql)) !== '';
  } catch (error) {
    // For example a pattern that is too large, or a file that is gone.
    if (error instanceof WarehouseError) return true;
    throw error;
  }
}

function behind(keys: ReadonlySet<string>, value: string): readonly string[] {
  if (keys.size === 0) return [];
  const names = [...keys].map((key) => key.replace(/[.*+?^${}()|[\]]/g, String.raw`\$&`));
  return [String.raw`"(?:${names.join('|')})"\s*(?:$|:\s*(?:${value}))`];
}

/** @param key the key that the value of the type stands behind */
function collect(key: string, type: string, keys: Keys, isListed = false): void {
  const { name, parameters } = readEngineType(type);
  const [first = ''] = parameters;
  if (name === 'Nullable') return collect(key, first, keys, isListed);
  if (name === 'Tuple') {
    for (const element of parameters) {
      const field = readElement(element);
      collect(unquoted(field.name.trim()), field.type, keys);
    }
    return;
  }
  if (name === 'Array') {
    // The end of a list within a list is not found.
    if (isListed && holdsNumbers(first)) keys.isKnown = false;
    return collect(key, first, keys, true);
  }
  if (name === 'String') return;
  if (/["\\]/.test(key) || key === '') keys.isKnown = false;
  (isListed ? keys.listed : keys.single).add(key);
}

const holdsNumbers = (type: string): boolean => !/^(?:Nullable\()?(?:String|Tuple\()/.test(type);

/** The name of a field, as a type of the engine writes it. */
export const unquoted = (name: string): string =>
  name.startsWith('`') ? name.slice(1, -1).replace(/\\(.)|``/gs, (_, sign?: string) => sign ?? '`') : name; // prettier-ignore
