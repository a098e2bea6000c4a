import { certain } from '@app/platform';
import {
  beyondFloat,
  changedIn,
  changesSchema,
  COLUMNS_MAX,
  fits,
  hasPaths,
  isUntyped,
  mayDiffer,
  type Schema,
  type Verbatim,
} from '@app/streams';
import { REJECTED_COLUMNS, TIMESTAMP, type Column } from '@app/warehouse';
import type {
  JudgedChunk,
  JudgedColumn,
  JudgedRejections,
  JudgeJob,
} from '../judge/chunk/judge-job.js';
import { COMPRESSION } from '../judge/chunk/compression.js';
import { KIND_NAMES } from '../judge/values/kinds.js';
import { REASON } from '../judge/refusals/reasons.js';
import {
  keptFrom,
  type AcceptedChunk,
  type AcceptOptions,
  type ColumnarFile,
  type Chunk,
  type RejectedRecords,
  type StreamSchema,
} from './chunk.js';
import { explainRefusedJson } from './explain-refused-json.js';
import type { Judge } from '../turns/fair-judge.js';
import { STRUCTURAL } from '../judge/refusals/structural.js';
import type { Survey } from './survey.js';

/** The fields of a stream's schema that acceptance works with. */
export interface SchemaKeeper {
  /** The stream as it is; undefined while it does not exist. */
  current(): StreamSchema | undefined;
  /**
   * Creates the stream or changes its schema so that the new fields fit as far as they can, and
   * answers the schema then in force.
   */
  evolve(survey: Survey): Promise<EvolvedSchema>;
}

export interface EvolvedSchema {
  readonly schema: StreamSchema;
  /** Fields that cannot become columns, with the reason in the form "<reason>". */
  readonly refusedFields: ReadonlyMap<string, string>;
}

/**
 * Endings of the files, which name their format and compression. Lines of CSV are arrays of the
 * header's fields, because names would double their size.
 */
const filesOf = ({ csv, isPlain }: Pick<Chunk, 'csv' | 'isPlain'>): Files => ({
  accepted: `accepted${csv ? '.compact' : ''}.ndjson${isPlain ? '' : `.${COMPRESSION}`}`,
  rejected: `rejected.native.${COMPRESSION}`,
});
/**
 * The same for a batch that is kept in memory. It is small, and the queue keeps it in a record of
 * its own.
 */
const CONTENTS: Files = { accepted: 'accepted.ndjson', rejected: 'rejected.native' };

interface Files {
  readonly accepted: string;
  readonly rejected: string;
}

/**
 * Divides a chunk of records into a batch of those that fit into the stream's columns, as lines of
 * JSON, and one of those that do not.
 *
 * The judge reads the chunk once. Only where it finds what the schema might change for, such as a
 * field that is new, the schema changes by what all records hold, and the chunk is judged again.
 * A new field of which only nulls have come is listed from then on, and so is what is new within
 * objects: no verdict depends on it.
 */
export async function acceptRecords(
  judge: Judge,
  keeper: SchemaKeeper,
  chunk: Chunk,
  options: AcceptOptions,
): Promise<AcceptedChunk> {
  const known = keeper.current();
  let schema = known;
  let judged = await judge.judge(jobOf(chunk, schema, options));
  if (judged.isNew || (!known && judged.accepted > 0)) {
    const evolved = await keeper.evolve(surveyOf(judged));
    schema = evolved.schema;
    judged = await judge.judge(jobOf(chunk, schema, options, evolved.refusedFields));
  } else if (schema) {
    const listed = listedOf(schema, judged);
    if (listed.size > 0 && changesSchema(schema, listed)) await keeper.evolve(listed);
  }
  const rejected = judged.rejected && rejectedOf(chunk, judged, judged.rejected);
  if (!schema) return { schema, accepted: undefined, rejected };
  const accepted = judged.accepted > 0 ? acceptedOf(chunk, schema, judged, options) : undefined;
  return { schema, accepted, rejected };
}

function jobOf(
  { file, firstLine, csv, content, isPlain }: Omit<Chunk, 'bytes'>,
  schema: StreamSchema | undefined,
  options: AcceptOptions,
  refusedFields?: ReadonlyMap<string, string>,
): JudgeJob {
  return {
    source: content ?? file,
    firstLine,
    csv,
    columns: schema ? judgedColumns(schema) : [],
    objects: schema?.objects ?? [],
    exact: schema?.exact ?? [],
    refusedFields,
    fieldsMax: COLUMNS_MAX,
    keptFrom: schema && keptFrom(schema, options),
    targets: content ? 'memory' : targetsOf(file, filesOf({ csv, isPlain })),
    ...options,
  };
}

const targetsOf = (file: string, { accepted, rejected }: Files): Files => ({
  accepted: `${file}.${accepted}`,
  rejected: `${file}.${rejected}`,
});

/**
 * The kinds that a type takes, one bit for each. They are cached, because there are few types and
 * every chunk asks for them.
 */
const taken = new Map<string, number>();

function judgedColumns({ columns, verbatim }: Schema): readonly JudgedColumn[] {
  if (verbatim.length === 0) return columns.map((column) => judgedColumn(column));
  const written = new Map(verbatim.map(({ name, of }) => [name, of]));
  return columns.map((column) => judgedColumn(column, written.get(column.name)));
}

function judgedColumn({ name, type }: Column, verbatim?: Verbatim): JudgedColumn {
  const known =
    taken.get(type) ??
    KIND_NAMES.reduce((mask, kind, bit) => mask | (fits(type, kind) ? 1 << bit : 0), 0);
  taken.set(type, known);
  return { name, type, fits: known, verbatim };
}

function surveyOf({ survey, changing }: JudgedChunk): Map<string, Map<string, number>> {
  const fields = new Map<string, Map<string, number>>();
  for (const { field, kind, count, beyond } of survey) {
    const kinds = fields.get(field) ?? new Map<string, number>();
    fields.set(field, kinds.set(kind, count));
    if (beyond > 0) kinds.set(beyondFloat(kind), beyond);
  }
  for (const { field, type } of changing) fields.get(field)?.set(changedIn(type), 1);
  return fields;
}

/**
 * Finds the fields that the schema does not know and that had no value, the new fields within
 * objects, and values for columns to which a source gave a type.
 */
function listedOf({ columns, untyped, given }: Schema, judged: JudgedChunk): Survey {
  const survey = surveyOf(judged);
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const known = new Set(untyped);
  for (const [name, kinds] of survey) {
    const isListed = types.has(name)
      ? hasPaths(kinds) || mayDiffer(name, kinds, given)
      : !known.has(name) && isUntyped(kinds);
    if (!isListed) survey.delete(name);
  }
  return survey;
}

function acceptedOf(
  { file, content, csv, isPlain }: Chunk,
  schema: StreamSchema,
  { accepted, bytes, times }: JudgedChunk,
  { acceptedAt }: AcceptOptions,
): ColumnarFile {
  const named = csv && new Set(csv.columns);
  const columns = schema.columns.filter(({ name }) => named?.has(name) ?? true);
  return {
    file: `${file}.${(content ? CONTENTS : filesOf({ csv, isPlain })).accepted}`,
    content: bytes?.accepted,
    rows: accepted,
    columns: [TIMESTAMP.name, ...columns.map(({ name }) => name)],
    types: columns.map(({ type }) => type),
    acceptedAt,
    times,
  };
}

function rejectedOf(
  { file, content }: Chunk,
  { bytes }: JudgedChunk,
  rejections: JudgedRejections,
): RejectedRecords {
  const { lines, reasonOf, reasons, firstText } = rejections;
  const [line = 0] = lines;
  const reason = certain(reasons[certain(reasonOf[0], 'rejection')], 'reason of a rejection');
  const compression = line === 1 ? compressionOf(firstText) : undefined;
  const more = REASON.isOfGrammar(reason)
    ? explainRefusedJson(firstText)
    : compression && `the body looks like ${compression}: send Content-Encoding: ${compression}`;
  return {
    file: `${file}.${(content ? CONTENTS : filesOf({})).rejected}`,
    content: bytes?.rejected,
    rows: lines.length,
    columns: [TIMESTAMP.name, ...REJECTED_COLUMNS.map(({ name }) => name)],
    structural: reasons.every((each) => each.startsWith(STRUCTURAL)),
    first: { line, reason: more ? `${STRUCTURAL}${more}` : reason },
    rejections,
  };
}

/** Guesses the compression of an upload whose first line is no text. */
function compressionOf(text: string): string | undefined {
  if (text.startsWith('\u001f')) return 'gzip';
  return /^\(\ufffd\/\ufffd/.test(text) ? 'zstd' : undefined;
}
