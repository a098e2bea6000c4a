import { basename } from 'node:path';
import { namedByHeader, quoteText, type SourceEngine } from '@app/warehouse';
import { listedPaths } from '../../sources/listed-paths.js';
import { plainPath } from '../../sources/plain-path.js';
import { SourceError } from '../../sources/source-error.js';
import { settingsClause, tableFunction, type Source } from '../../sources/source.js';

/** If there are more files, their names are not read. */
const FILES_MAX = 200;

interface Shop {
  readonly engine: Pick<SourceEngine, 'statements'>;
  /** Absolute; for files that are made on the way. */
  readonly directory: string;
}

/**
 * Reads a source of CSV by the places of its columns if its first row leaves a column without a
 * name, as pandas does with its index, or has a name twice. By names, the engine would skip the
 * first and refuse the second.
 * @throws {SourceError} if there are several files, and they name their columns differently
 */
export async function namedByPlace(source: Source, shop: Shop): Promise<Source> {
  const { statements } = shop.engine;
  const { header } = source;
  if (!header || (source.many && source.files === undefined)) return source;
  const names = source.many
    ? await namesOfAll({ ...source, header }, shop)
    : await writtenNames(header.call(undefined), header, statements);
  // The engine would use only the first line of a name with two lines.
  if (names === undefined || isNamed(names) || names.some((name) => name.includes('\n')))
    return source;
  return {
    ...source,
    call: header.call,
    settings: {
      ...header.settings,
      input_format_csv_detect_header: '0',
      input_format_csv_skip_first_lines: '1',
    },
    // Only columns with names can be collected from all files together.
    inference: { ...source.inference, schema_inference_mode: "'default'" },
    names: namedByHeader(names),
    ...(source.many && { byNames: source }),
  };
}

const isNamed = (names: readonly string[]): boolean =>
  !names.includes('') && new Set(names).size === names.length;

/** The names that one file has, without blanks around them; none where it cannot be read. */
export async function writtenNames(
  call: string,
  header: Pick<Source, 'settings'>,
  statements: SourceEngine['statements'],
): Promise<readonly string[]> {
  // A file that cannot be read so fails with its reason when its columns are asked for.
  const names = await headerRow(call, header, statements).catch(() => []);
  return names.map((name) => name.trim());
}

/** The names that the first row has, as they are written. */
export async function headerRow(
  call: string,
  { settings }: Pick<Source, 'settings'>,
  statements: SourceEngine['statements'],
): Promise<readonly string[]> {
  // A name such as 007 is a text.
  const asTexts = {
    ...settings,
    input_format_csv_detect_header: '0',
    input_format_csv_use_best_effort_in_schema_inference: '0',
    use_hive_partitioning: '0',
  };
  const sql = `SELECT * FROM ${call} LIMIT 1${settingsClause(asTexts)} FORMAT JSONCompactEachRow`;
  const row = await statements.run(sql);
  const written = row === '' ? [] : (JSON.parse(row) as readonly (string | null)[]);
  return written.map((name) => name ?? '');
}

/**
 * Columns of several files are matched by their names, or by their places if all files name them
 * alike.
 */
async function namesOfAll(
  { files = '', header }: Source & Pick<Required<Source>, 'header'>,
  { engine: { statements }, directory }: Shop,
): Promise<readonly string[] | undefined> {
  const found: (readonly [path: string, names: readonly string[]])[] = [];
  for (const path of await listedPaths(files, statements, FILES_MAX)) {
    const plain = await plainPath(path, directory);
    const call = tableFunction('file', [quoteText(plain), 'CSV']);
    const names = await writtenNames(call, header, statements);
    if (names.length > 0) found.push([path, names]);
  }
  const odd = found.find(([, names]) => !isNamed(names));
  if (!odd) return undefined;
  const [path, names] = odd;
  const other = found.find(([, each]) => JSON.stringify(each) !== JSON.stringify(names));
  if (!other) return names;
  throw new SourceError(
    `${basename(path)} has a column without a name, or two of one name, and ${basename(other[0])} names its columns otherwise: name them, or declare the columns that are wanted in \`schema\``,
  );
}
