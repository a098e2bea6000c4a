import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { checkArrow } from '@app/arrow';
import { quoteText, type Column, type SourceEngine } from '@app/warehouse';
import { answeredRows } from '../../sources/answered-rows.js';
import {
  settingsClause,
  tableFunction,
  type Settings,
  type TypelessColumn,
} from '../../sources/source.js';

interface Terms {
  readonly format: 'Arrow' | 'ArrowStream';
  /** The settings by which the engine tells types. */
  readonly settings: Settings;
  /** An absolute path of the folder for temporary files. */
  readonly directory: string;
  readonly statements: SourceEngine['statements'];
}

/** Finds the columns without a type of a file of Arrow on this machine. */
export async function typelessColumns(
  { typeless }: Awaited<ReturnType<typeof checkArrow>>,
  { format, settings, directory, statements }: Terms,
): Promise<readonly TypelessColumn[]> {
  if (!typeless) return [];
  const like = join(directory, `${randomUUID()}.arrow`);
  try {
    await writeFile(like, typeless.withTexts);
    const call = tableFunction('file', [quoteText(like), quoteText(format)]);
    const sql = `DESCRIBE TABLE ${call}${settingsClause({ ...settings, print_pretty_type_names: '0' })} FORMAT JSONEachRow`;
    const columns = answeredRows<Column>(await statements.run(sql));
    return columns.flatMap((column, at) =>
      typeless.names.has(column.name)
        ? [{ name: column.name, type: nullable(column.type), after: columns[at - 1]?.name }]
        : [],
    );
  } finally {
    await rm(like, { force: true });
  }
}

/** A column of this type need not say that it may be null. */
const nullable = (type: string): string => (type === 'String' ? 'Nullable(String)' : type);

/** The columns with those without a type at their places, unless another file tells it. */
export function withTypeless(
  columns: readonly Column[],
  typeless: readonly TypelessColumn[],
): readonly Column[] {
  const all = [...columns];
  for (const { name, type, after } of typeless) {
    if (all.some((each) => each.name === name)) continue;
    all.splice(all.findIndex((each) => each.name === after) + 1, 0, { name, type });
  }
  return all;
}
