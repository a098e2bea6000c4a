import { quoteIdentifier, quoteText, type Column, type SourceEngine } from '@app/warehouse';
import { listedPaths } from '../../sources/listed-paths.js';
import type { Source } from '../../sources/source.js';
import type { ComputedColumn } from './computed-column.js';

/** Hive's name of a folder whose rows have no value. */
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__';
/** If there are more files, their paths are not looked at. */
const FILES_MAX = 10_000;
const INTEGER = /^(?:0|-?[1-9]\d{0,17})$/;
const DAY = /^(?:19|2[0-2])\d\d-\d\d-\d\d$/;

/**
 * Says how to read the columns that are in the names of folders. The names are percent-encoded, and
 * one stands for no value. The engine knows neither, and takes the type from the first file alone.
 * @param names of these columns, as far as they are known; those of files on this machine are found
 * @returns the columns that are to be read as texts, by name
 */
export async function folderColumns(
  names: ReadonlySet<string>,
  found: readonly Column[],
  { files }: Pick<Source, 'files'>,
  statements: SourceEngine['statements'],
): Promise<ReadonlyMap<string, ComputedColumn>> {
  const paths = files === undefined ? [] : await listedPaths(files, statements, FILES_MAX);
  const isWhole = paths.length > 0 && paths.length < FILES_MAX;
  const own = found.filter(({ name }) => names.has(name) || valuesOf(name, paths.slice(0, 1)));
  return new Map(
    own.flatMap(({ name, type }): [string, ComputedColumn][] => {
      const values = isWhole ? valuesOf(name, paths) : undefined;
      const isText = /^(?:LowCardinality\()?(?:Nullable\()?String\b/.test(type);
      if (values === undefined) return isText ? [[name, columnOf(name, 'String')]] : [];
      const held = typeOf(values);
      // The engine's own type stays where it holds every value as it is written.
      if (held !== 'String' && !isText && !values.includes(NO_VALUE)) return [];
      return [[name, columnOf(name, held)]];
    }),
  );
}

function valuesOf(name: string, paths: readonly string[]): readonly string[] | undefined {
  const values = paths.map((path) =>
    path
      .split('/')
      .slice(0, -1)
      .findLast((folder) => folder.startsWith(`${name}=`))
      ?.slice(name.length + 1),
  );
  const known = values.filter((value) => value !== undefined);
  return known.length > 0 && known.length === values.length ? known : undefined;
}

function typeOf(values: readonly string[]): string {
  const written = values.filter((value) => value !== NO_VALUE);
  if (written.length === 0) return 'String';
  if (written.every((value) => INTEGER.test(value))) return 'Int64';
  return written.every((value) => DAY.test(value)) ? 'Date32' : 'String';
}

function columnOf(name: string, held: string): ComputedColumn {
  const text = `nullIf(decodeURLComponent(${quoteIdentifier(name)}), ${quoteText(NO_VALUE)})`;
  const type = `Nullable(${held})`;
  return {
    readAs: 'String',
    type,
    value: held === 'String' ? text : `CAST(${text}, ${quoteText(type)})`,
  };
}
