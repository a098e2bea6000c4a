import { quoteIdentifier, type Column, type SourceEngine } from '@app/warehouse';
import { engineType } from '../arrow-data-type.js';
import { settingsClause, type Settings, type Source } from '../sources/source.js';
import type { DescribedColumn, DescribedTable } from '../table-description.js';

/** `a Int64, b String`, as table functions take it. */
export function structureOf(columns: readonly Column[]): string {
  return columns.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`).join(', ');
}

export const declared = (columns: readonly DescribedColumn[]): readonly Column[] =>
  columns.map(({ name, dataType, nullable }) => ({ name, type: engineType(dataType, nullable) }));

/** Columns of a source as the engine finds them, or as its description declares them. */
export async function inferColumns(
  { columns, options }: DescribedTable,
  source: Source,
  statements: SourceEngine['statements'],
): Promise<readonly Column[]> {
  if (columns) return declared(columns);
  const ask = async (inference: Settings): Promise<readonly Column[]> => {
    const settings = { ...source.settings, ...inference, print_pretty_type_names: '0' };
    const sql = `DESCRIBE TABLE ${source.call(undefined)}${settingsClause(settings)} FORMAT JSONEachRow`;
    const lines = (await statements.run(sql)).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Column);
  };
  const found = [...(await ask(source.inference))];
  if (source.many && 'schema_inference_mode' in source.inference) {
    // Asked for all files together, the engine leaves columns out that are in folders' names.
    const known = new Set(found.map(({ name }) => name));
    found.push(
      ...(await ask({ ...source.inference, schema_inference_mode: "'default'" })).filter(
        ({ name }) => !known.has(name),
      ),
    );
  }
  const headless = options.format === 'csv' && !options.hasHeader;
  return found.map(({ name, type }) => ({
    // The engine calls them c1, c2, …; folders' names stay.
    name: headless ? name.replace(/^c(?=\d+$)/, 'column_') : name,
    type: source.inferred ? settledType(type) : type,
  }));
}

/** What an inferred type is held as: times with one precision and a zone, and texts for what had no value. */
function settledType(type: string): string {
  return type
    .replace(/\bDateTime(?:64\(\d+(?:, '[^']*')?\))?(?![\w(])/g, "DateTime64(6, 'UTC')")
    .replace(/\bDate\b(?!\d)/g, 'Date32')
    .replace(/\bNothing\b/g, 'String');
}
