import { createReadStream, statSync } from 'node:fs';
import type { Server } from '../server/start-server.js';
import { quoteIdentifier, quoteText } from '../../libs/warehouse/ddl/identifier.js';
import { rawInsert, type Column, type RawInsert } from './engine-alone.js';
import { familyProcessorSeconds } from './processor-time.js';
import type { Shape } from './shape.js';
import type { ShapeFiles } from './shape-files.js';
import { checksum, columnsOf, difference, missing } from './shape-readback.js';

const MIB = 1024 * 1024;
/** Without this the engine would take a dot in an object's key for a level. */
const DOTS_IN_KEYS = 'json_type_escape_dots_in_keys = 1';
/** The server has the engine write JSON with these settings. */
const AS_ANSWERED = `output_format_json_escape_forward_slashes = 0, output_format_json_quote_64bit_integers = 0, ${DOTS_IN_KEYS}`;

export interface Taken {
  readonly seconds: number;
  /** Seconds of processor time. */
  readonly processor: number;
}

export interface Run {
  readonly ours: Taken;
  readonly engine: Taken;
}

/** Uploads the file to a stream that has its columns, beside the engine's insert into the same columns, and compares what both have then. */
export async function runShape(
  server: Server,
  shape: Shape,
  files: ShapeFiles,
  { folder, stream, isChecked }: { folder: string; stream: string; isChecked: boolean },
): Promise<Run> {
  const { client } = server;
  expect(await client.upload(stream, files.warm.lines)).toEqual({
    name: stream,
    successful: files.warm.records,
    failed: 0,
  });
  const columns = await columnsOf(server, stream);
  const sumOf = async (): Promise<string> =>
    isChecked
      ? ((await client.sql<{ sum: string }>(checksum(columns, stream)))[0]?.sum ?? '')
      : '0';
  const before = await sumOf();
  const engine = engineAlone(shape, files, columns, folder, isChecked);
  const ours = await upload(server, stream, files);
  if (isChecked) {
    expect(await columnsOf(server, stream)).toEqual(columns);
    expect(await missing(server, stream, shape.key, files.samples)).toEqual({ lines: 0 });
    expect(difference(await sumOf(), before)).toBe(engine.answer);
  }
  // Otherwise its merges would go on beside the next run.
  await client.call(`/api/default/${stream}`, { method: 'DELETE' });
  return { ours, engine };
}

function engineAlone(
  { time }: Shape,
  { good, records, rejected }: ShapeFiles,
  columns: readonly Column[],
  folder: string,
  isChecked: boolean,
): RawInsert {
  const names = columns.map(({ name }) => quoteIdentifier(name));
  const own = time?.includes('_timestamp') ? ['_timestamp Nullable(Int64)'] : [];
  const structure = [...own, ...columns.map(({ type }, place) => `${names[place]} ${type}`)];
  const inserted = rawInsert(
    folder,
    columns,
    `(_timestamp, ${names.join(', ')}) SELECT ${[`${time ?? "now64(6, 'UTC')"} AS at`, ...names].join(', ')}` +
      ` FROM file(${quoteText(good)}, JSONEachRow, ${quoteText(structure.join(', '))}) SETTINGS ${DOTS_IN_KEYS}`,
    isChecked ? `${checksum(columns, 'raw.t')} SETTINGS ${AS_ANSWERED}` : undefined,
  );
  expect(inserted.rows).toBe(records - rejected);
  return inserted;
}

/**
 * Measures from the first byte sent until every row is queryable, for the server and the engine's
 * process.
 */
async function upload(
  { client, process }: Server,
  stream: string,
  { all, records, rejected, warm }: ShapeFiles,
): Promise<Taken> {
  const pid = process.pid ?? 0;
  const used = familyProcessorSeconds(pid);
  const started = performance.now();
  const answer = await client.call(`/api/default/${stream}/_json?wait=true`, {
    body: createReadStream(all, { highWaterMark: MIB }),
    headers: {
      'content-type': 'application/x-ndjson',
      'content-length': String(statSync(all).size),
    },
  });
  const good = records - rejected;
  expect(answer.json()).toMatchObject({
    code: 200,
    status: [{ name: stream, successful: good, failed: rejected }],
  });
  expect(await client.count(stream)).toBe(warm.records + good);
  const seconds = (performance.now() - started) / 1000;
  return { seconds, processor: familyProcessorSeconds(pid) - used };
}
