import { rm } from 'node:fs/promises';
import type { Column } from '@app/warehouse';
import { withoutNull } from '@app/warehouse';
import { SourceError } from '../../sources/source-error.js';
import type { DescribedTable } from '../../table-description.js';
import { inferColumns } from './infer-columns.js';
import { openSource, type Workshop } from './open-source.js';

/**
 * The columns that these files of a table have together, in the order in which they are met.
 * @throws {Error} that names the file which cannot be read, or has a column with another type
 */
export async function schemaOfFiles(
  table: DescribedTable & Pick<Required<DescribedTable>, 'schemaFromFiles'>,
  workshop: Workshop,
): Promise<readonly Column[]> {
  const all = new Map<string, string>();
  for (const file of table.schemaFromFiles) {
    const uri = within(table.uri, file);
    for (const { name, type } of await columnsOf({ ...table, uri }, workshop)) {
      const before = all.get(name) ?? type;
      const both = together(before, type);
      if (both === undefined)
        throw new SourceError(
          `schema_from_files: column ${name} is ${before}, and ${type} in ${file}`,
        );
      all.set(name, both);
    }
  }
  return [...all].map(([name, type]) => ({ name, type }));
}

async function columnsOf(table: DescribedTable, workshop: Workshop): Promise<readonly Column[]> {
  const source = await openSource(table, workshop);
  try {
    return await inferColumns(table, source, {
      statements: workshop.engine.statements,
      seen: undefined,
      folders: new Set(),
    });
  } finally {
    if (source.unpacked !== undefined) await rm(source.unpacked, { force: true });
  }
}

/** A file's path is relative to the table's folder, or to the text of its URI before any `*`. */
function within(uri: string, file: string): string {
  if (file.startsWith('/') || /^[a-z0-9]+:\/\//.test(file)) return file;
  const folder = uri.replace(/[^/]*[*?{[].*$/s, '').replace(/\/*$/, '');
  return folder === '' ? file : `${folder}/${file}`;
}

/** The type that takes the values of both; undefined where they differ in more than nulls. */
function together(one: string, other: string): string | undefined {
  if (one === other) return one;
  return withoutNull(one) === withoutNull(other) ? `Nullable(${withoutNull(one)})` : undefined;
}
