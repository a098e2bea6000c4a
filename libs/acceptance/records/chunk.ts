import type { Schema } from '@app/streams';
import type { WrittenTimes } from '@app/warehouse';
import type { CsvShape } from '../judge/chunk/csv-shape.js';
import type { JudgedRejections } from '../judge/chunk/judge-job.js';

/** A bounded piece of an upload: one record a line, in a file. */
export interface Chunk {
  /** Absolute path. */
  readonly file: string;
  /** Number of its first line within the upload, from 1. */
  readonly firstLine: number;
  /** The number of its lines, where it is known. */
  readonly lines?: number;
  readonly bytes: number;
  /** Tells whether its accepted lines are written without compression. */
  readonly isPlain?: boolean | undefined;
  /** CSV only: the shape of its records; undefined: they are JSON. */
  readonly csv?: CsvShape | undefined;
  /** Its lines, if there is no such file. The results then stay in memory too. */
  readonly content?: Buffer;
}

/** The stream as acceptance needs it. */
export interface StreamSchema extends Schema {
  readonly id: string;
  readonly name: string;
  readonly database: string;
  /** `dataRetention`: days that its rows are kept, 0 for ever. */
  readonly settings: { readonly dataRetention: number };
}

const DAY_MICROS = 24 * 60 * 60 * 1_000_000;

/** Microseconds since the epoch before which the stream keeps no row; undefined: it keeps all. */
export function keptFrom(
  { settings }: Pick<StreamSchema, 'settings'>,
  { acceptedAt }: Pick<AcceptOptions, 'acceptedAt'>,
): number | undefined {
  const { dataRetention: days } = settings;
  return days === 0 ? undefined : acceptedAt - days * DAY_MICROS;
}

/**
 * The file of a batch. It holds columns as the engine writes them, or lines of JSON objects or
 * arrays.
 */
export interface ColumnarFile {
  /** Its ending names its format and its compression: `.native.zst`, `.ndjson`, `.ndjson.zst`, `.compact.ndjson.zst`. */
  readonly file: string;
  /** The content of the batch, when it is in memory and has no file. */
  readonly content?: Buffer | undefined;
  readonly rows: number;
  readonly columns: readonly string[];
  /**
   * Lines only: the types by which they are read into `columns`. `_timestamp`, the first, has none;
   * it is a whole number if it is there. Undefined: the file has columns, with their types.
   */
  readonly types?: readonly string[] | undefined;
  /** Lines only: the time of records without one, in microseconds since the epoch. */
  readonly acceptedAt?: number | undefined;
  /** Lines only: what the numbers in `_timestamp` mean. Undefined: microseconds. */
  readonly times?: WrittenTimes | undefined;
}

/** Accepted records go to a stream. Rejected records may have none. */
export type AcceptedChunk = {
  readonly rejected: RejectedRecords | undefined;
} & (
  | { readonly schema: StreamSchema; readonly accepted: ColumnarFile | undefined }
  | { readonly schema: undefined; readonly accepted: undefined }
);

export interface RejectedRecords extends ColumnarFile {
  readonly first: Rejection;
  /** True when no line is a record at all: each is malformed, or not an object. */
  readonly structural: boolean;
  /**
   * Each of the rejected records. It is undefined for tables, whose rows are not listed one by one.
   */
  readonly rejections?: JudgedRejections;
}

export interface Rejection {
  readonly line: number;
  readonly reason: string;
}

export interface AcceptOptions {
  readonly uploadId: string;
  readonly stream: string;
  /** Microseconds since the epoch: the time of records that name none. */
  readonly acceptedAt: number;
}
