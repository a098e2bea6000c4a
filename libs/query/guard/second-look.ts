import { certain } from '@app/platform';

/**
 * A second check, on the text and not on the engine's print of its tree: it finds any name of a
 * table of the engine, or of any organization's database, at any place.
 */

const TEXTS = /'(?:[^'\\]|\\.)*'/gs;
/** The name must not stand within a longer name: `t.system.events` is a field of a column. */
const QUALIFIED =
  /(?<![\w`.\ue000-\ue1ff])`?(system|information_schema|o_[0-9a-f]{32})`?\.`?(\w+)/gi;

/**
 * @param printable see `spell-out.ts`.
 * @param engineTables of the engine's own databases, as `database.table`, in lower case.
 * @returns the first such name.
 */
export function foreignTable(
  printable: string,
  engineTables: ReadonlySet<string>,
): string | undefined {
  for (const [, first, second] of printable.replace(TEXTS, "''").matchAll(QUALIFIED)) {
    const database = certain(first, 'database of a qualified name');
    const name = `${database}.${certain(second, 'table of a qualified name')}`;
    if (database.toLowerCase().startsWith('o_') || engineTables.has(name.toLowerCase()))
      return name;
  }
  return undefined;
}
