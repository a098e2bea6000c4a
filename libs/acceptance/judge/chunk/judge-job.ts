import type { ObjectColumn, Verbatim } from '@app/streams';
import type { WrittenTimes } from '@app/warehouse';
import type { CsvShape } from './csv-shape.js';

/** The job of a judge. All of its fields can be sent to a thread. */
export interface JudgeJob {
  /** One record a line: the absolute path of a file, or the lines themselves. */
  readonly source: string | Uint8Array;
  /** CSV only: the shape of its records; undefined: they are JSON. */
  readonly csv?: CsvShape | undefined;
  /** Number of its first line within the upload, from 1. */
  readonly firstLine: number;
  readonly columns: readonly JudgedColumn[];
  /** The known fields within columns of objects. */
  readonly objects: readonly ObjectColumn[];
  /** Integer columns that may hold any integer, and so never become columns of floats. */
  readonly exact: readonly string[];
  /**
   * Tells why fields cannot become columns; undefined while nobody has tried to create columns for
   * the new fields.
   */
  readonly refusedFields: ReadonlyMap<string, string> | undefined;
  /** No stream has more fields than this. */
  readonly fieldsMax: number;
  /** Microseconds since the epoch: the time of records that name none. */
  readonly acceptedAt: number;
  /** Microseconds since the epoch: the stream does not take a record with an earlier time. */
  readonly keptFrom: number | undefined;
  /**
   * Absolute paths of the files to write, compressed, but for accepted lines in a file whose name
   * does not end with `.zst`; `memory`: the bytes come with the answer, uncompressed; undefined: the
   * judge only looks for new fields, and writes nothing.
   */
  readonly targets?:
    { readonly accepted: string; readonly rejected: string } | 'memory' | undefined;
  readonly uploadId: string;
  readonly stream: string;
}

export interface JudgedColumn {
  readonly name: string;
  readonly type: string;
  /** The kinds of values that go into the column, one bit for each. */
  readonly fits: number;
  /** Tells which of its values are stored as they were written. */
  readonly verbatim?: Verbatim | undefined;
}

export interface JudgedChunk {
  /**
   * Tells whether the schema must change, or must say why it does not, before there are verdicts.
   * Then nothing was written.
   */
  readonly isNew: boolean;
  /** Fields in the order in which they came first. */
  readonly survey: readonly SurveyedKind[];
  /** Fields, each with the type of a column that would change one of its arrays. */
  readonly changing: readonly { readonly field: string; readonly type: string }[];
  /** Records in the file of accepted ones. */
  readonly accepted: number;
  /** Tells how the times of these records are written. */
  readonly times: WrittenTimes;
  readonly rejected: JudgedRejections | undefined;
  /** The bytes that would be in the files, when there are no files. */
  readonly bytes?: { readonly accepted: Buffer; readonly rejected: Buffer };
}

/** Tells how many values of one kind a field has, and how many of them are, or have, an integer beyond floats. */
export interface SurveyedKind {
  readonly field: string;
  readonly kind: string;
  readonly count: number;
  readonly beyond: number;
}

/** Records in the file of rejected ones, by line. */
export interface JudgedRejections {
  readonly lines: Float64Array;
  /** Index in {@link reasons}, for each line. */
  readonly reasonOf: Uint32Array;
  readonly reasons: readonly string[];
  /** The bytes of all of these records. */
  readonly bytes: number;
  /** The beginning of the first of these records. */
  readonly firstText: string;
}
