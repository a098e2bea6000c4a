import { open } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { likelyDelimiter, quoteText, toldDelimiter, type SourceEngine } from '@app/warehouse';
import { COMPRESSED } from '../../sources/engine-format.js';
import { listedPaths } from '../../sources/listed-paths.js';
import { plainPath } from '../../sources/plain-path.js';
import { SourceError } from '../../sources/source-error.js';
import { settingsClause, tableFunction, type CsvShape, type Source } from '../../sources/source.js';
import { csvRecords } from './csv-records.js';
import { answeredRows } from '../../sources/answered-rows.js';

/** If there are more files, the beginnings of the others are not read. */
const FILES_MAX = 200;
const HEAD_BYTES = 64 * 1024;
const HEAD_LINES = 50;

interface Asked {
  readonly hasHeader: boolean;
  /** It is undefined where nobody has said it. */
  readonly delimiter: string | undefined;
}

interface Shop {
  readonly engine: Pick<SourceEngine, 'statements'>;
  readonly directory: string;
}

interface Found extends CsvShape {
  /** The first line has the delimiter, or says it. */
  readonly isSure: boolean;
}

/**
 * Finds out how a source of CSV is written, by the first lines of its files.
 * @param lines its lines
 * @throws {SourceError} where its files begin in different ways
 */
export async function shapeOf(
  asked: Asked,
  { files, many, lines }: Pick<Source, 'files' | 'many'> & { readonly lines: Source },
  { engine: { statements }, directory }: Shop,
): Promise<CsvShape> {
  const shop = { engine: { statements }, directory };
  let isLoose = false;
  let isKnown = files !== undefined;
  let first: (Found & { readonly name: string }) | undefined;
  const paths = files === undefined ? [''] : await listedPaths(files, statements, FILES_MAX);
  for (const path of paths) {
    const head = path === '' ? await headByEngine(lines, shop) : await headOf(path, shop);
    // A file that is damaged, or not there, fails with its reason when its columns are asked for.
    isKnown &&= head !== undefined;
    const found = head === undefined ? undefined : await shapeIn(head, asked);
    if (found === undefined) continue;
    isLoose ||= found.isLoose;
    const name = basename(path);
    if (first && first.skipped !== found.skipped)
      throw new SourceError(
        `${first.name} has ${first.skipped} lines before its first names or values, and ${name} has ${found.skipped}: blank lines, or one such as "sep=;": take them out`,
      );
    if (first?.isSure && found.isSure && first.delimiter !== found.delimiter)
      throw new SourceError(
        `the values of ${first.name} are parted by ${JSON.stringify(first.delimiter)}, and those of ${name} by ${JSON.stringify(found.delimiter)}: make a table of each kind, or say delimiter=`,
      );
    if (!first || (!first.isSure && found.isSure)) first = { ...found, name };
  }
  if (!first && !many && isKnown) throw new SourceError('there is nothing in it');
  const { delimiter = asked.delimiter ?? ',', skipped = 0 } = first ?? {};
  return { delimiter, skipped, isLoose };
}

async function shapeIn(head: string, asked: Asked): Promise<Found | undefined> {
  const lines = head.replace(/^\ufeff/, '').split('\n');
  let skipped = lines.findIndex((line) => !/^\r*$/.test(line));
  if (skipped < 0) return undefined;
  const told = toldDelimiter(`${lines.slice(skipped).join('\n')}\n`)?.delimiter;
  if (told !== undefined) skipped += 1;
  if (!asked.hasHeader && skipped === 0 && head.startsWith('\ufeff'))
    throw new SourceError(
      'it begins with a byte order mark, which would be a character of its first value: write it without one, or with a line of names',
    );
  const [line = ''] = lines.slice(skipped);
  // The first record may be a text with any of the others in it.
  const likely = !asked.hasHeader && line.includes(',') ? ',' : likelyDelimiter(line);
  const delimiter = asked.delimiter ?? told ?? likely;
  const isSure = asked.delimiter !== undefined || told !== undefined || line.includes(delimiter);
  const isLoose = await hasLooseQuotes(lines.slice(skipped).join('\n'), delimiter);
  return { delimiter, skipped, isSure, isLoose };
}

async function hasLooseQuotes(text: string, delimiter: string): Promise<boolean> {
  for await (const { fields } of csvRecords([Buffer.from(text)], delimiter))
    if (fields.some(({ isQuoted, isPadded }) => isQuoted && isPadded)) return true;
  return false;
}

/** The first lines of a file on this machine. */
async function headOf(path: string, shop: Shop): Promise<string | undefined> {
  if (COMPRESSED.includes(extname(path).slice(1))) {
    const packed = quoteText(await plainPath(path, shop.directory));
    const call = (): string =>
      tableFunction('file', [packed, 'LineAsString', quoteText('line String')]);
    return headByEngine({ call, settings: {} }, shop);
  }
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function headByEngine(
  { call, settings }: Pick<Source, 'call' | 'settings'>,
  { engine }: Shop,
): Promise<string | undefined> {
  const rows = `${call([{ name: 'line', type: 'String' }])} LIMIT ${HEAD_LINES}`;
  const sql = `SELECT line, isValidUTF8(line) FROM ${rows}${settingsClause({ ...settings, max_threads: '1' })} FORMAT JSONCompactEachRow`;
  const answer = await engine.statements.run(sql).catch(() => undefined);
  if (answer === undefined) return undefined;
  return answeredRows<readonly [string, number]>(answer)
    .map(([line, isUtf8]) => {
      if (isUtf8 === 0) throw new SourceError('it is not written as UTF-8: write it so');
      return `${line}\n`;
    })
    .join('');
}
