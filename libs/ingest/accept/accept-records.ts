import { closeSync, openSync, readSync } from 'node:fs';
import { MillraceError } from '@app/platform';
import { fits } from '@app/streams';
import { quoteText, refuses, TIMESTAMP, WarehouseError, type LocalEngine } from '@app/warehouse';
import {
  COMPRESSION,
  keptFrom,
  type AcceptedChunk,
  type AcceptOptions,
  type Chunk,
  type ColumnarFile,
  type RejectedRecords,
  type StreamSchema,
} from './chunk.js';
import { convertRecords, jsonRecords } from './convert-records.js';
import { isOutOfSpace } from './out-of-space.js';
import { explainMalformed } from './explain-malformed.js';
import { countJudged, JUDGED_RECORD, judgeRecords, type JudgedCounts } from './judge-records.js';
import { isNotJson } from './not-json.sql.js';
import { STRUCTURAL } from './structural.js';
import { suspicionPatterns, suspicious } from './suspicion.js';
import { surveyRecords, type Survey } from './survey-records.js';
import type { TimeSource } from './timestamp.sql.js';
import { rejectUnstorable } from './unstorable.js';
import { writeRejected } from './write-rejected.js';

/** What a stream's schema can do for acceptance. */
export interface SchemaKeeper {
  /** Undefined while the stream does not exist. */
  current(): StreamSchema | undefined;
  /** Creates the stream or changes its schema so that what was surveyed fits as far as it can, and answers the schema then in force. */
  evolve(survey: Survey): Promise<EvolvedSchema>;
}

export interface EvolvedSchema {
  readonly schema: StreamSchema;
  /** Fields that cannot become columns, with the reason in the form "<reason>". */
  readonly refusedFields: ReadonlyMap<string, string>;
}

/** Lines looked at to guess the schema of a stream that is new; whatever the guess misses is found later, exactly. */
export const FIRST_LOOK_LINES = 20_000;
/** Of an engine's sentence. */
const DETAIL_MAX = 300;

/**
 * Turns a chunk of records into a columnar batch, and those that do not fit into rejected records.
 *
 * The usual way is two passes of the engine over the file: one finds whether anything in it is
 * suspicious, one parses it by the columns' types, strictly. When either finds something, the
 * chunk is judged instead: every field is surveyed, the schema evolves, each record is judged by
 * itself, and only those that fit are parsed. Both ways store the same.
 */
export async function acceptRecords(
  engine: LocalEngine,
  keeper: SchemaKeeper,
  chunk: Chunk,
  options: AcceptOptions,
): Promise<AcceptedChunk> {
  const before = keeper.current()?.version;
  let schema = keeper.current();
  if (!schema) {
    const survey = await surveyRecords(engine, chunk.file, FIRST_LOOK_LINES);
    if (survey.size > 0) schema = (await keeper.evolve(survey)).schema;
  }
  if (schema) {
    const accepted = await acceptUnsuspicious(engine, schema, chunk, options, before);
    if (accepted) return { schema, accepted, rejected: undefined };
  }
  return acceptJudged(engine, keeper, chunk, options, before);
}

/** The insert reads a batch after its upload was answered: where columns are new, it is read before. */
async function readBack(engine: LocalEngine, { file }: ColumnarFile): Promise<void> {
  await engine.run(`SELECT count() FROM file(${quoteText(file)}, Native) WHERE NOT ignore(*)`);
}

/** What passes, as when memory is short, says nothing of the records. */
const isNotStorable = (error: unknown): boolean => refuses(error) && !isOutOfSpace(error);

function notStorable(error: unknown): unknown {
  if (!(error instanceof WarehouseError) || !isNotStorable(error)) return error;
  return new MillraceError('MALFORMED_BODY', 'a record cannot be stored in its columns', {
    detail: error.told.slice(0, DETAIL_MAX),
    cause: error,
  });
}

/** Undefined when the chunk needs judging. */
async function acceptUnsuspicious(
  engine: LocalEngine,
  schema: StreamSchema,
  chunk: Chunk,
  options: AcceptOptions,
  before: number | undefined,
): Promise<ColumnarFile | undefined> {
  const patterns = suspicionPatterns([
    ...schema.columns,
    { name: TIMESTAMP.name, type: 'Nullable(Int64)' },
  ]);
  if (!patterns) return undefined;
  const timestamp = timeSourceOf(chunk.file);
  const timestampPatterns = timestamp === 'Int64' ? patterns : suspicionPatterns(schema.columns);
  try {
    const answer = await engine.run(
      `SELECT countIf(line NOT IN ('', '\\r')), countIf(line NOT IN ('', '\\r') AND ${suspicious('line', timestampPatterns ?? patterns, schema.columns)})` +
        ` FROM file(${quoteText(chunk.file)}, LineAsString)`,
    );
    const [records = 0, suspects = 0] = answer.trim().split('\t').map(Number);
    if (records === 0 || suspects > 0) return undefined;
    const accepted = await convertRecords(engine, {
      source: jsonRecords(chunk.file),
      target: `${chunk.file}.accepted.native.${COMPRESSION}`,
      columns: schema.columns,
      exact: schema.exact,
      time: timestamp,
      acceptedAt: options.acceptedAt,
      records,
      keptFrom: keptFrom(schema, options),
    });
    if (schema.version !== before) await readBack(engine, accepted);
    return accepted;
  } catch (error) {
    if (isOutOfSpace(error)) throw error;
    return undefined;
  }
}

async function acceptJudged(
  engine: LocalEngine,
  keeper: SchemaKeeper,
  chunk: Chunk,
  options: AcceptOptions,
  before: number | undefined,
): Promise<AcceptedChunk> {
  const survey = await surveyRecords(engine, chunk.file);
  let evolved = survey.size > 0 || keeper.current() ? await keeper.evolve(survey) : undefined;
  const judgement = {
    source: chunk.file,
    firstLine: chunk.firstLine,
    columns: evolved?.schema.columns ?? [],
    fits,
    survey,
    refusedFields: evolved?.refusedFields ?? new Map<string, string>(),
    keptFrom: evolved && keptFrom(evolved.schema, options),
  };
  let lines = await judgeRecords(engine, judgement, `${chunk.file}.judged.native`);
  let counts = await countJudged(engine, lines);
  // Records without any field make a stream too.
  if (counts.good > 0) evolved ??= await keeper.evolve(survey);
  const schema = evolved?.schema;
  let accepted: ColumnarFile | undefined;
  if (schema && counts.good > 0) {
    const isNew = schema.version !== before;
    const store = (good: string, name: string): Promise<ColumnarFile> =>
      acceptGood(engine, chunk, { lines: good, name, isNew }, schema, options);
    try {
      accepted = await store(lines, 'accepted');
    } catch (error) {
      lines = await withoutUnstorable(engine, lines, store, error);
      counts = await countJudged(engine, lines);
      if (counts.good > 0)
        accepted = await store(lines, 'accepted').catch((together: unknown) => {
          throw notStorable(together);
        });
    }
    if (accepted) accepted = { ...accepted, rows: counts.good };
  }
  const rejected =
    counts.bad > 0 ? await rejectJudged(engine, chunk, lines, counts, options) : undefined;
  return schema ? { schema, accepted, rejected } : { schema, accepted: undefined, rejected };
}

/** @throws {MillraceError} MALFORMED_BODY when they are too many to be found; the error, when it is none of theirs */
async function withoutUnstorable(
  engine: LocalEngine,
  lines: string,
  store: (lines: string, name: string) => Promise<unknown>,
  error: unknown,
): Promise<string> {
  if (!isNotStorable(error)) throw error;
  const left = await rejectUnstorable(engine, lines, async (some) => {
    try {
      await store(some, 'tried');
      return true;
    } catch (failure) {
      if (!isNotStorable(failure)) throw failure;
      return false;
    }
  });
  if (left === undefined) throw notStorable(error);
  return left;
}

/** @param good verdicts, of which the good ones go into the file of that name; its rows are not counted */
async function acceptGood(
  engine: LocalEngine,
  chunk: Chunk,
  good: { readonly lines: string; readonly name: string; readonly isNew: boolean },
  { columns, exact }: StreamSchema,
  { acceptedAt }: AcceptOptions,
): Promise<ColumnarFile> {
  const source = `${chunk.file}.good`;
  await engine.run(
    `INSERT INTO FUNCTION file(${quoteText(source)}, TSVRaw) SELECT ${JUDGED_RECORD} FROM (${good.lines}) WHERE reason = ''`,
  );
  const accepted = await convertRecords(engine, {
    source: jsonRecords(source),
    settings: 'input_format_skip_unknown_fields = 1',
    target: `${chunk.file}.${good.name}.native.${COMPRESSION}`,
    columns,
    exact,
    time: 'judged',
    acceptedAt,
    records: 0,
    keptFrom: undefined,
  });
  if (good.isNew) await readBack(engine, accepted);
  return accepted;
}

async function rejectJudged(
  engine: LocalEngine,
  chunk: Chunk,
  lines: string,
  { bad, structural, first }: JudgedCounts,
  options: AcceptOptions,
): Promise<RejectedRecords> {
  const target = `${chunk.file}.rejected.native.${COMPRESSION}`;
  const rejected = `SELECT number, reason, line AS record FROM (${lines}) WHERE reason != ''`;
  const compression = compressionOf(first);
  const malformed = isNotJson(first.reason)
    ? explainMalformed(first.text)
    : compression && `the body looks like ${compression}: send Content-Encoding: ${compression}`;
  return {
    ...(await writeRejected(engine, target, { rejected, count: bad }, options)),
    structural,
    first: { line: first.line, reason: malformed ? `${STRUCTURAL}${malformed}` : first.reason },
  };
}

/** What an upload seems to be compressed with whose first line is no text. */
function compressionOf({ line, text }: JudgedCounts['first']): string | undefined {
  if (line !== 1) return undefined;
  if (text.startsWith('\u001f')) return 'gzip';
  return /^\(\ufffd\/\ufffd/.test(text) ? 'zstd' : undefined;
}

const PEEK_BYTES = 65_536;

/**
 * How the first record names its time; the others most likely do the same, and if not, the
 * strict parse tells.
 */
function timeSourceOf(file: string): TimeSource | 'none' {
  const buffer = Buffer.alloc(PEEK_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    const length = readSync(descriptor, buffer, 0, PEEK_BYTES, 0);
    const [firstLine = ''] = buffer.toString('utf8', 0, length).split('\n', 1);
    const record = JSON.parse(firstLine) as Record<string, unknown> | null;
    const value = record?.[TIMESTAMP.name];
    if (value === undefined) return 'none';
    return typeof value === 'string' ? 'String' : 'Int64';
  } catch {
    return 'none';
  } finally {
    closeSync(descriptor);
  }
}
