import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { MillraceError } from '@app/platform';
import { quoteText, WarehouseError, type LocalEngine } from '@app/warehouse';
import { isOutOfSpace, readParquetFooter, structure } from '@app/acceptance';
import type { Field } from '@app/arrow';
import {
  ACTION_FIELDS,
  fileId,
  logLine,
  type AddFile,
  type LogLine,
  type MetaData,
  type Protocol,
} from './log-actions.js';
import { chooseSegment } from './log-segment.js';
import {
  brokenTable,
  fetchNeeded,
  LOG,
  pathInTable,
  type TableFolder,
} from '../sources/table-folder.js';

/** A table as it was at a version. */
export interface Snapshot {
  readonly version: number;
  readonly metaData: MetaData;
  readonly files: readonly AddFile[];
}

/** A reader must know these features to read tables of this server correctly. */
const FEATURES: ReadonlySet<string> = new Set([
  'columnMapping',
  'deletionVectors',
  'timestampNtz',
  'typeWidening',
  'typeWidening-preview',
  'v2Checkpoint',
  'vacuumProtocolCheck',
]);
const READER_VERSION_MAX = 3;
/** All of them are held in memory while the table is read. */
const FILES_MAX = 100_000;
/** The bytes of the log's actions that may be held in memory. */
const HELD_MAX = 64 * 1024 * 1024;
/**
 * When it is parsed, a line takes many times its length. A schema of 2,000 columns has a tenth of
 * this.
 */
const LINE_BYTES_MAX = 4 * 1024 * 1024;
/** A checkpoint also keeps recently removed files. */
const CHECKPOINT_ROWS_MAX = 2_000_000;
/**
 * The limit of a checkpoint's decompressed size: Parquet compresses a repeated text to almost
 * nothing.
 */
const CHECKPOINT_BYTES_MAX = 512 * 1024 * 1024;

/**
 * Reads a table's log.
 * @throws {MillraceError} MALFORMED_BODY when it is broken, or asks for what cannot be read here.
 */
export async function readLog(
  folder: TableFolder,
  engine: LocalEngine,
  { directory, version }: { readonly directory: string; readonly version: number | undefined },
): Promise<Snapshot> {
  const segment = chooseSegment(await folder.logNames(), version);
  const state: State = {
    files: new Map(),
    held: 0,
    metaData: undefined,
    protocol: undefined,
    sidecars: [],
  };
  const read = async (path: string, bytes?: number): Promise<void> => {
    const { file, release } = await fetchNeeded(folder, path, bytes);
    const lines = path.endsWith('.parquet')
      ? await checkpointLines(engine, { file, path, target: join(directory, 'checkpoint.ndjson') })
      : file;
    await apply(state, lines, path);
    await release();
  };
  for (const name of segment.checkpoint) await read(`${LOG}/${name}`);
  for (const { path, sizeInBytes } of state.sidecars)
    await read(`${LOG}/_sidecars/${pathInTable(path)}`, sizeInBytes);
  for (const name of segment.commits) await read(`${LOG}/${name}`);
  const { metaData, protocol, files } = state;
  if (!protocol) throw brokenTable('its log has no protocol action');
  if (!metaData) throw brokenTable('its log has no metaData action');
  refuseUnknown(protocol, metaData);
  return { version: segment.version, metaData, files: [...files.values()] };
}

interface State {
  readonly files: Map<string, AddFile>;
  /** The number of characters of the actions that are kept. */
  held: number;
  metaData: MetaData | undefined;
  protocol: Protocol | undefined;
  readonly sidecars: NonNullable<LogLine['sidecar']>[];
}

async function apply(state: State, file: string, name: string): Promise<void> {
  let number = 0;
  for await (const line of linesOf(file, name)) {
    number += 1;
    if (line.trim() === '') continue;
    const { add, remove, metaData, protocol, sidecar } = parse(line, `${name}, line ${number}`);
    if (add) keep(state, add);
    if (remove) forget(state, fileId(remove));
    if (metaData) state.metaData = metaData;
    if (protocol) state.protocol = protocol;
    if (sidecar) state.sidecars.push(sidecar);
    if (state.files.size > FILES_MAX || state.sidecars.length > FILES_MAX || state.held > HELD_MAX)
      throw new MillraceError(
        'UPLOAD_TOO_LARGE',
        `the table has more than ${FILES_MAX} files, or its log says more than ${HELD_MAX} characters of them; compact it (OPTIMIZE), or upload it in parts`,
      );
  }
}

function keep(state: State, add: AddFile): void {
  const id = fileId(add);
  forget(state, id);
  state.files.set(id, add);
  state.held += heldOf(add);
}

function forget(state: State, id: string): void {
  const known = state.files.get(id);
  if (!known) return;
  state.files.delete(id);
  state.held -= heldOf(known);
}

const heldOf = (add: AddFile): number => JSON.stringify(add).length;

function parse(line: string, where: string): LogLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw brokenTable(`${where} is not JSON`, error);
  }
  const parsed = logLine.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw brokenTable(
    `${where}: ${issue ? `${z.core.toDotPath(issue.path)}: ${issue.message}` : 'it is no action'}`,
  );
}

async function* linesOf(file: string, name: string): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  let bytes = 0;
  for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', from)) {
      yield Buffer.concat([...begun, piece.subarray(from, end)]).toString('utf8');
      from = end + 1;
      [begun, bytes] = [[], 0];
    }
    begun.push(piece.subarray(from));
    bytes += piece.length - from;
    if (bytes > LINE_BYTES_MAX)
      throw brokenTable(`${name} has a line of more than ${LINE_BYTES_MAX} bytes`);
  }
  yield Buffer.concat(begun).toString('utf8');
}

/** Has the engine write a checkpoint's actions in the form of a commit. */
async function checkpointLines(
  engine: LocalEngine,
  { file, path, target }: { readonly file: string; readonly path: string; readonly target: string },
): Promise<string> {
  const { rows, fields } = await readParquetFooter(file, path);
  if (rows > CHECKPOINT_ROWS_MAX)
    throw brokenTable(`${path} has ${rows} rows, and ${CHECKPOINT_ROWS_MAX} are the most`);
  const actions = `file(${quoteText(file)}, Parquet, ${quoteText(structure(actionsOf(fields)))})`;
  const bytes = await sizeOf(engine, actions, path);
  if (bytes > CHECKPOINT_BYTES_MAX)
    throw brokenTable(`${path} unpacks to more than ${CHECKPOINT_BYTES_MAX} bytes`);
  try {
    await engine.run(
      `INSERT INTO FUNCTION file(${quoteText(target)}, JSONEachRow)` +
        ` SELECT * FROM ${actions}` +
        ' SETTINGS output_format_json_quote_64bit_integers = 0',
    );
    return target;
  } catch (error) {
    throw unreadable(path, error);
  }
}

/**
 * The engine does not accept a struct with a field `null`, which statistics of a column with that
 * name have.
 */
function actionsOf(fields: readonly Field[]): readonly Field[] {
  return fields.flatMap((field) => {
    const names = ACTION_FIELDS.get(field.name);
    if (!names || field.type.kind !== 'struct') return [];
    const within = field.type.fields.filter(({ name }) => names.includes(name));
    return [{ ...field, type: { ...field.type, fields: within } }];
  });
}

/**
 * The bytes that the actions would take in the engine's memory if all of them were there at once.
 */
async function sizeOf(engine: LocalEngine, actions: string, path: string): Promise<number> {
  try {
    return Number(await engine.run(`SELECT sum(byteSize(*)) FROM ${actions}`));
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): unknown {
  if (!(error instanceof WarehouseError) || isOutOfSpace(error)) return error;
  return brokenTable(`${path} is not a readable checkpoint`, error);
}

function refuseUnknown({ minReaderVersion, readerFeatures }: Protocol, metaData: MetaData): void {
  const refuse = (what: string): MillraceError =>
    new MillraceError('MALFORMED_BODY', `this Delta table needs ${what}, which is not supported`);
  if (minReaderVersion > READER_VERSION_MAX) throw refuse(`reader version ${minReaderVersion}`);
  const unknown = (readerFeatures ?? []).filter((feature) => !FEATURES.has(feature));
  if (unknown.length > 0) throw refuse(`reader feature ${unknown.join(', ')}`);
  const provider = metaData.format?.provider ?? 'parquet';
  if (provider !== 'parquet') throw refuse(`data files of format ${provider}`);
}
