import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { byteFields, checkArrow } from '@app/arrow';
import { BrokenFileError, byteColumns, decimalColumns, type DecimalBytes } from '@app/parquet';
import { MillraceError } from '@app/platform';
import { namedByHeader, quoteText, type SourceEngine } from '@app/warehouse';
import { COMPRESSED, INFERENCE_BYTES } from '../../sources/engine-format.js';
import { listedPaths } from '../../sources/listed-paths.js';
import { plainPath } from '../../sources/plain-path.js';
import { tableFunction, type Source, type TypelessColumn } from '../../sources/source.js';
import type { DescribedTable } from '../../table-description.js';
import { writtenNames } from '../csv/header-names.js';
import { checkCsv, type SeenCsv } from '../csv/csv-bytes.js';
import { refusePadded } from '../csv/loose-quotes.js';
import { shortRecords, type ShortRecords } from '../csv/uneven-records.js';
import type { DecimalPaths } from '../columns/wide-decimals.js';
import { BlankLinesError } from '../csv/blank-lines-error.js';
import { checkCharacters } from './character-scan.js';
import { bytesTogether, type BytesOfFile, type ByteLeaves } from '../schemas/byte-leaves.js';
import { otherDecimal, togetherOf } from '../columns/decimals-of-files.js';
import { schemaOfSound } from '../schemas/schema-of-file.js';
import { halfOfFree } from '../temporary-room.js';
import { checkJsonDepth, OBJECT_LEVELS_MAX } from './json-depth.js';
import { typelessColumns } from '../columns/typeless-columns.js';
import type { SeenFiles } from '../seen-files.js';

/** Checks those files of a table that it has not seen as they are now. @throws {MillraceError} that names one and says why */
export type CheckFiles = () => Promise<SeenFiles>;

interface Check {
  /**
   * @param name what to call the file in a message
   * @throws {MillraceError}
   */
  look(file: string, name: string): Promise<Seen>;
  /** Looks at all bytes of a file; absent: `look` does so. */
  lookAtAll?(file: string, name: string): Promise<void>;
  /** A statement that tells files that need no look: whether it is one, and whether it has quotes; absent: there is none. */
  looksWell?(file: string): string;
}

/** Quotes come in pairs, none is behind blanks, CR stands only at the ends of lines, and none is blank. */
const looksWell = (file: string): string =>
  `SELECT quotes % 2 = 0 AND odd = 0, quotes > 0 FROM (SELECT sum(countSubstrings(line, '"')) AS quotes, max(match(line, '^\\r*$|\\r.|[ \\t]"')) AS odd FROM ${tableFunction('file', [quoteText(file), 'LineAsString', quoteText('line String')])}) FORMAT JSONCompactEachRow`;

const TEXT = quoteText(String.raw`"(?:[^"\\]|\\.)*"`);
const countOf = (...marks: readonly string[]): string =>
  marks.map((mark) => `countSubstrings(bare, ${quoteText(mark)})`).join(' + ');
/** No line has more brackets outside of texts than may be within each other, and each line closes its own. */
const isShallow = (file: string): string =>
  `SELECT ifNull(max(opened) <= ${OBJECT_LEVELS_MAX} AND max(opened != closed OR quotes > 0 OR NOT isValid) = 0, 1), 0 FROM (SELECT isValid, ${countOf('{', '[')} AS opened, ${countOf('}', ']')} AS closed, ${countOf('"')} AS quotes FROM (SELECT isValidUTF8(line) AS isValid, replaceRegexpAll(line, ${TEXT}, '') AS bare FROM ${tableFunction('file', [quoteText(file), 'LineAsString', quoteText('line String')])})) FORMAT JSONCompactEachRow`;

interface Seen extends SeenCsv {
  /** Absent: there are none, or there may be none. */
  readonly short?: ShortRecords | undefined;
  readonly decimals?: ReadonlyMap<string, DecimalBytes>;
  readonly bytes?: BytesOfFile;
  readonly typeless?: readonly TypelessColumn[];
}

const NOTHING_SEEN: Seen = { hasQuotedWord: false, hasLooseQuote: false, hasBlankLine: false };

function checkOf(
  { options, columns }: DescribedTable,
  source: Source,
  { directory, engine: { statements } }: Terms,
): Check | undefined {
  switch (options.format) {
    case 'arrow':
    case 'arrows':
      return {
        look: async (file, name) => {
          const format = options.format === 'arrow' ? 'Arrow' : 'ArrowStream';
          const settings = { ...source.settings, ...source.inference };
          const told = { format, settings, directory, statements } as const;
          const checked = await checkArrow(file, name);
          const typeless = await typelessColumns(checked, told);
          return { ...NOTHING_SEEN, typeless, bytes: byteFields(checked.fields) };
        },
      };
    case 'parquet':
      return {
        look: async (file, name) => {
          const schema = await orRefused(schemaOfSound(file), name);
          return { ...NOTHING_SEEN, decimals: decimalColumns(schema), bytes: byteColumns(schema) };
        },
      };
    case 'csv':
      return {
        look: (file, name) => orNoCsv(seenCsv(file, source), name),
        ...(!source.csv?.mayBeShort && { looksWell }),
      };
    case 'json':
    case 'ndjson':
      return {
        look: async (file, name) => {
          await orRefused(checkCharacters(file), name);
          // Only the types of columns that are not told have to be found out.
          if (!columns) await lookForDepth(file, name, DEPTH_BYTES);
          return NOTHING_SEEN;
        },
        lookAtAll: lookForDepth,
        looksWell: isShallow,
      };
    default:
      return undefined;
  }
}

async function seenCsv(file: string, { csv, header }: Source): Promise<Seen> {
  const seen = await checkCsv(file, csv?.delimiter ?? ',');
  return csv?.mayBeShort ? { ...seen, short: await shortRecords(file, { csv, header }) } : seen;
}

/** The engine looks for types in fewer bytes, unless it is asked to look at all. */
const DEPTH_BYTES = 2 * INFERENCE_BYTES;

const lookForDepth = (file: string, name: string, most?: number): Promise<void> =>
  orRefused(checkJsonDepth(file, most), name);

/** Looks at files whose blanks around values are dropped. */
const lookAtPadded = ({ csv }: Source, hasHeader: boolean): Check => ({
  look: async (file, name) => {
    const head = (csv?.skipped ?? 0) + (hasHeader ? 1 : 0);
    await orNoCsv(refusePadded(file, csv?.delimiter ?? ',', head), name);
    return NOTHING_SEEN;
  },
});

const orNoCsv = <Result>(look: Promise<Result>, name: string): Promise<Result> =>
  orRefused(look, name, 'is no CSV that can be read');

/** @throws {MillraceError} where the file is broken */
async function orRefused<Result>(
  look: Promise<Result>,
  name: string,
  what = 'cannot be read',
): Promise<Result> {
  try {
    return await look;
  } catch (error) {
    if (!(error instanceof BrokenFileError)) throw error;
    throw new MillraceError('MALFORMED_BODY', `${name} ${what}: ${error.message}`, { cause: error }); // prettier-ignore
  }
}

interface Terms {
  readonly engine: Pick<SourceEngine, 'statements'>;
  /** An absolute path of the folder for temporary files. */
  readonly directory: string;
  /** The bytes that a file may unpack to there; absent: half of those that are free. */
  readonly room?: () => Promise<number>;
}

/**
 * The engine reads some files of Arrow inexactly and says nothing, and passes over what is broken in
 * CSV. An upload refuses those, and so does a table of files on this machine. Each file is looked at
 * once for as long as it is the same.
 * @returns undefined where there is nothing to look at
 */
export function fileChecks(
  described: DescribedTable,
  source: Source & { readonly unpacked?: string | undefined },
  terms: Terms,
): CheckFiles | undefined {
  const { engine, directory } = terms;
  const { statements } = engine;
  const { files } = source;
  const check = checkOf(described, source, terms);
  const { names, header, csv } = source;
  if (!check || files === undefined) return undefined;
  const nameOf = (path: string): string => basename(path === source.unpacked ? source.shown : path);
  const isRead = (column: string): boolean =>
    described.columns?.some((each) => column === each.name || column.startsWith(`${each.name}.`)) ?? true; // prettier-ignore
  const checked = new Map<string, string>();
  let stamp: string | undefined;
  const withQuotes = new Set<string>();
  const withLooseQuotes = new Set<string>();
  const withBlankLines = new Set<string>();
  const short = new Map<string, ShortRecords>();
  /** The looks at files that have types of their own. */
  const typed = new Map<string, Seen>();
  let told: DecimalPaths | undefined;
  let bytes: ByteLeaves | undefined;
  const padded = lookAtPadded(source, header !== undefined);
  let isLoose = csv?.isLoose;
  let isChecked = false;
  let running: Promise<SeenFiles> | undefined;
  const checkAll = async (): Promise<SeenFiles> => {
    const before = (await source.stamp?.())?.text;
    if (before === undefined || before !== stamp) await checkChanged();
    if (withBlankLines.size > 0) throw new BlankLinesError(withBlankLines);
    stamp = before;
    const haveLooseQuotes = csv?.isLoose === true || withLooseQuotes.size > 0;
    if (haveLooseQuotes && isLoose === false && isChecked)
      throw new MillraceError('MALFORMED_BODY', 'a file has come with quotes behind blanks: the table must be read again (reload_interval does so, or register it again)'); // prettier-ignore
    isChecked = true;
    isLoose = haveLooseQuotes;
    const all = [...typed.values()];
    told ??= togetherOf(all.flatMap(({ decimals = [] }) => decimals));
    bytes ??= bytesTogether(all.flatMap((each) => each.bytes ?? []));
    return { haveQuotedWords: withQuotes.size > 0, haveLooseQuotes, short, decimals: told, typeless: all.flatMap(({ typeless = [] }) => typeless), bytes, lookAtAll }; // prettier-ignore
  };
  const lookAtAll = async (): Promise<void> => {
    for (const path of checked.keys())
      if (!isPacked(path)) await check.lookAtAll?.(path, nameOf(path));
  };
  const checkChanged = async (): Promise<void> => {
    const gone = new Set(checked.keys());
    const changed: string[] = [];
    for (const path of await listedPaths(files, statements)) {
      gone.delete(path);
      const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
      const state = `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
      // The engine skips files without a byte.
      if (size === 0n || checked.get(path) === state) continue;
      const seen = await checkUnpacked(path, nameOf(path), check, terms);
      withQuotes[seen.hasQuotedWord ? 'add' : 'delete'](path);
      withLooseQuotes[seen.hasLooseQuote ? 'add' : 'delete'](path);
      withBlankLines[seen.hasBlankLine ? 'add' : 'delete'](path);
      if (seen.short) short.set(nameOf(path), seen.short);
      if (seen.bytes) typed.set(path, seen);
      const other = told && otherDecimal(seen.decimals ?? new Map(), told);
      if (other !== undefined && isRead(other)) throw otherBytes(other);
      changed.push(path);
      if (names && header) {
        const plain = await plainPath(path, directory);
        const call = tableFunction('file', [quoteText(plain), 'CSV']);
        const row = await writtenNames(call, header, statements);
        const written = row === 'unknown' ? row : namedByHeader(row.map((name) => name.trim()));
        if (written.length > 0 && JSON.stringify(written) !== JSON.stringify(names))
          throw new MillraceError('MALFORMED_BODY', `${nameOf(path)} has other columns than those that were read first`); // prettier-ignore
      }
      checked.set(path, state);
    }
    for (const path of gone) {
      checked.delete(path);
      withQuotes.delete(path);
      withLooseQuotes.delete(path);
      withBlankLines.delete(path);
      typed.delete(path);
    }
    if (csv?.isLoose === true || withLooseQuotes.size > 0)
      for (const path of isLoose === true && isChecked ? changed : checked.keys())
        await checkUnpacked(path, nameOf(path), padded, terms);
  };
  return () => {
    running ??= checkAll().finally(() => {
      running = undefined;
    });
    return running;
  };
}

const otherBytes = (column: string): MillraceError =>
  new MillraceError('MALFORMED_BODY', `a file has come in which column ${JSON.stringify(column)} has its decimals in other bytes than in those that were read first: the table must be read again (reload_interval does so, or register it again)`); // prettier-ignore

const isPacked = (path: string): boolean => COMPRESSED.includes(extname(path).slice(1));

/** A file may be compressed as a whole. The engine recognizes that by its ending. */
async function checkUnpacked(
  path: string,
  name: string,
  check: Check,
  { directory, engine: { statements }, room = () => halfOfFree(directory) }: Terms,
): Promise<Seen> {
  if (!isPacked(path)) return check.look(path, name);
  const packed = await plainPath(path, directory);
  const unpacked = join(directory, `${randomUUID()}.unpacked`);
  const bytes = (file: string): string =>
    tableFunction('file', [quoteText(file), 'RowBinary', quoteText('byte UInt8')]);
  try {
    if (check.looksWell) {
      const [isWell, hasQuotes] = JSON.parse(await statements.run(check.looksWell(packed))) as readonly number[]; // prettier-ignore
      if (isWell === 1) return { ...NOTHING_SEEN, hasQuotedWord: hasQuotes === 1 };
    }
    const most = await room();
    // One thread keeps the bytes in their order.
    await statements.run(
      `INSERT INTO FUNCTION ${bytes(unpacked)} SELECT byte FROM ${bytes(packed)} LIMIT ${most + 1} SETTINGS max_threads = 1, max_insert_threads = 1`,
    );
    if ((await stat(unpacked)).size > most)
      throw new MillraceError('MALFORMED_BODY', `${name} unpacks to more than ${most} bytes, for which there is no room in the temporary folder: unpack it`); // prettier-ignore
    return await check.look(unpacked, name);
  } finally {
    await rm(unpacked, { force: true });
  }
}
