import { basename } from 'node:path';
import { namedByHeader, quoteIdentifier, quoteText, type SourceEngine } from '@app/warehouse';
import { AS_READ } from '../../sources/engine-format.js';
import { listedPaths } from '../../sources/listed-paths.js';
import { plainPath } from '../../sources/plain-path.js';
import { SourceError } from '../../sources/source-error.js';
import { settingsClause, tableFunction, type Source } from '../../sources/source.js';

const BYTE_ORDER_MARK = '\ufeff';
/** If there are more files, their names are not read. */
const FILES_MAX = 200;

interface Shop {
  readonly engine: Pick<SourceEngine, 'statements'>;
  /** Absolute; for files that are made on the way. */
  readonly directory: string;
}

/**
 * Reads a source of CSV by the places of its columns if its first row leaves a column without a
 * name, as pandas does with its index, has a name twice, or blanks around one. By names, the engine
 * would skip the first and refuse the second, and would not find the third without its blanks.
 * @param isTold its columns are told, and so are found by their names
 * @throws {SourceError} if there are several files, and they name their columns differently
 */
export async function namedByPlace(source: Source, isTold: boolean, shop: Shop): Promise<Source> {
  const { statements } = shop.engine;
  const { header, csv } = source;
  if (!header || (source.many && source.files === undefined)) return source;
  const isPlain = isTold ? isBare : (names: readonly string[]) => isBare(names) && isNamed(names);
  const written = source.many
    ? await namesOfAll({ ...source, header }, isPlain, shop)
    : await writtenNames(header.call(undefined), header, statements);
  if (written === 'unknown') return { ...source, inference: { ...source.inference, ...AS_READ } };
  // The engine would use only the first line of a name with two lines.
  if (written === undefined || isPlain(written) || written.some((name) => name.includes('\n')))
    return source;
  const names = written.map((name) => name.trim());
  if (isTold) {
    const there = (name: string): string => written[names.indexOf(name)] ?? name;
    const renamed = (name: string): string => `${quoteIdentifier(there(name))} AS ${quoteIdentifier(name)}`; // prettier-ignore
    return {
      ...source,
      call: (columns) => {
        const own = columns?.map(({ name, type }) => ({ name: there(name), type }));
        const all = columns?.map(({ name }) => renamed(name));
        return all ? `(SELECT ${all.join(', ')} FROM ${source.call(own)})` : source.call(undefined);
      },
    };
  }
  return {
    ...source,
    call: header.call,
    settings: {
      ...header.settings,
      input_format_csv_detect_header: '0',
      input_format_csv_skip_first_lines: String((csv?.skipped ?? 0) + 1),
    },
    // Only columns with names can be collected from all files together.
    inference: { ...source.inference, schema_inference_mode: "'default'" },
    names: namedByHeader(names),
    ...(source.many && { byNames: source }),
  };
}

const isNamed = (names: readonly string[]): boolean =>
  !names.includes('') && new Set(names).size === names.length;
const isBare = (names: readonly string[]): boolean => names.every((name) => name === name.trim());

/**
 * The names that one file has, as they are written; none where it cannot be read. They are unknown
 * if quotes follow the byte order mark, which the engine passes over only if it reads by names.
 */
export async function writtenNames(
  call: string,
  header: Pick<Source, 'settings'>,
  statements: SourceEngine['statements'],
): Promise<readonly string[] | 'unknown'> {
  // A file that cannot be read so fails with its reason when its columns are asked for.
  const row = await headerRow(call, header, statements).catch(() => []);
  const [first = '', ...others] = row;
  if (first.startsWith(`${BYTE_ORDER_MARK}"`)) return 'unknown';
  return first.startsWith(BYTE_ORDER_MARK) ? [first.slice(1), ...others] : row;
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
    // The rows behind it may have other numbers of fields: they are not read. A reader that is told so
    // passes over the blanks before a first field.
    max_block_size: '1',
    max_threads: '1',
    input_format_parallel_parsing: '0',
    input_format_max_rows_to_read_for_schema_inference: '1',
    schema_inference_use_cache_for_file: '0',
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
  isPlain: (names: readonly string[]) => boolean,
  { engine: { statements }, directory }: Shop,
): Promise<readonly string[] | 'unknown' | undefined> {
  const found: (readonly [path: string, names: readonly string[]])[] = [];
  for (const path of await listedPaths(files, statements, FILES_MAX)) {
    const plain = await plainPath(path, directory);
    const call = tableFunction('file', [quoteText(plain), 'CSV']);
    const names = await writtenNames(call, header, statements);
    if (names === 'unknown') return names;
    if (names.length > 0) found.push([path, names]);
  }
  const odd = found.find(([, names]) => !isPlain(names));
  if (!odd) return undefined;
  const [path, names] = odd;
  const other = found.find(([, each]) => JSON.stringify(each) !== JSON.stringify(names));
  if (!other) return names;
  throw new SourceError(
    `${basename(path)} has a column without a name, two of one name, or blanks around one, and ${basename(other[0])} names its columns otherwise: name them, or declare the columns that are wanted in \`schema\``,
  );
}
