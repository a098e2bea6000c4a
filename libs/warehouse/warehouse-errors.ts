import { MillraceError } from '@app/platform';
import type { Column, TableName } from './warehouse.js';

/** The engine's error number for a server that could not be reached. */
export const NETWORK_ERROR = 210;

/** A failure that the engine reports. Its number classifies it, never its words. */
export class WarehouseError extends Error {
  constructor(
    /** The engine's error number, 0 when it gave none. */
    readonly code: number,
    /** The engine's name of the error, e.g. `UNKNOWN_IDENTIFIER`. */
    readonly type: string,
    /** The engine's text, without its `Code: N. DB::Exception:` frame. For logs and for the mapping to client messages. */
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'WarehouseError';
  }

  /** The first line of the message for clients, without paths of this machine. */
  get told(): string {
    const [line = ''] = this.message.split('\n', 1);
    return withoutPaths(line);
  }

  /** The HTTP status, if it is not the engine's answer to the statement. */
  get statusCode(): number | undefined {
    return this.code === NETWORK_ERROR ? 503 : undefined;
  }
}

/**
 * A table lacks columns that it was given. A caller that ignored this error would lose the values
 * of these columns.
 */
export class ColumnMismatchError extends Error {
  constructor({ database, table }: TableName, missing: readonly Column[]) {
    const columns = missing.map(({ name, type }) => `${JSON.stringify(name)} ${type}`).join(', ');
    super(`the warehouse has not taken columns of the table ${database}.${table}: ${columns}`);
    this.name = 'ColumnMismatchError';
  }
}

const FILE_PATH = /(?:file:\/\/)?(?<![\w.:/])\/(?:[^\s/'"`(),:;]+\/)+[^\s/'"`(),:;]*/g;

/** The engine's words without paths of files on this machine. */
export const withoutPaths = (text: string): string =>
  text
    .replace(/ ?\(?(?:while reading from part|in file(?:\/uri)?) [^\s)]*\)?:?/gi, '')
    .replace(FILE_PATH, '…');

/** The engine's error number for a statement that stopped itself. */
export const FENCED = 395;

/**
 * The insert or claim belongs to a writer that is no longer the newest of its partition. Nothing of
 * it is stored.
 */
export class FencedError extends WarehouseError {
  constructor(
    readonly partition: number,
    readonly epoch: bigint,
    options?: { cause?: unknown },
  ) {
    const message = `a newer writer than epoch ${epoch} has claimed partition ${partition}`;
    super(FENCED, 'FENCED', message, options);
    this.name = 'FencedError';
  }
}

/** The engine goes on without the table, because it cannot load it. */
export class TableAsideError extends MillraceError {
  constructor(table: string) {
    super(
      'TABLE_UNREADABLE',
      `the table ${table} cannot be used: the engine cannot load it by its definition on the disk, and the server's log says why; an operator finds what to do in docs/operations.md, "Damaged definitions"; other tables are not affected`,
    );
    this.name = 'TableAsideError';
  }
}

/** The engine's error number for a used-up quota. */
const TOO_MUCH = 201;

/** A query of the organization had to be ended by force, so the organization has to wait. */
export class PacedError extends WarehouseError {
  constructor(readonly retryAfterSeconds: number) {
    super(
      TOO_MUCH,
      'PACED',
      'a query of this organization went past its limit and could only be ended by force; wait a few minutes, and ask for less',
    );
    this.name = 'PacedError';
  }
}

/**
 * Error numbers that are temporary and say nothing about the statement: no memory, no disk, too
 * many parts, time-outs, broken files; a server that is away, too busy, or refuses connections at
 * the moment; a replica that cannot write or whose outcome is unknown.
 */
const PASSING = new Set([
  ...[74, 75, 76, 159, 202, 209, 210, 241, 243, 252, 473],
  ...[192, 198, 203, 225, 236, 242, 254, 279, 285, 286, 289, 319, 394, FENCED, 439, 497],
  ...[516, 692, 735, 999],
]);

/** True if the same statement may succeed later without a change. */
export const passes = ({ code }: WarehouseError): boolean => PASSING.has(code);

/**
 * Error numbers for which only the inserted data can be at fault: it cannot be read, decompressed
 * or parsed, or a value does not fit into its column. A missing table or column, and all other
 * errors, may also be the server's fault.
 */
const OF_DATA = new Set([
  // cannot be read or decompressed
  ...[32, 33, 117, 561, 636],
  // cannot be parsed
  ...[6, 25, 26, 27, 38, 41, 72, 130, 376, 441, 467, 675, 676],
  // does not go into its column
  ...[53, 69, 70, 120, 128, 131, 169, 190, 321, 349, 366, 386, 407, 469],
  // the names of the columns are too long for a statement
  229,
]);

/** Tells whether the same data will always fail, on every server. */
export const isOfData = ({ code }: WarehouseError): boolean => OF_DATA.has(code);

/** Error numbers for failures without a number of their own: of files, libraries, and others. */
const UNEXPLAINED = new Set([0, 1000, 1001, 1002]);

/** Tells whether the engine refuses the statement for good, as long as its tables stay the same. */
export const refuses = (error: unknown): boolean =>
  error instanceof TableAsideError ||
  (error instanceof WarehouseError && !passes(error) && !UNEXPLAINED.has(error.code));

/** Error numbers for damage in the engine's own files: wrong checksums or sizes, missing files. */
const OF_DISK = new Set([32, 33, 40, 74, 76, 89, 107, 226, 227, 228, 246, 271]);
const PART = /\/store\/[0-9a-f]{3}\/([0-9a-f-]{36})\/([^/\s]+_\d+_\d+_\d+(?:_\d+)?)\//;

/** The part of a table that is damaged, according to a failure. */
interface UnreadablePart {
  /** The table, by the engine's number. */
  readonly tableId: string;
  readonly part: string;
}

/** It is undefined for any other failure. */
export function unreadablePart(error: unknown): UnreadablePart | undefined {
  const { code, message } = toWarehouseError(error);
  const [, tableId, part] = (OF_DISK.has(code) ? PART.exec(message) : undefined) ?? [];
  return tableId === undefined || part === undefined ? undefined : { tableId, part };
}

const FRAME =
  /^(?:Code: (\d+)\. )?(?:DB::Exception: )?(.*?)(?: \(([A-Z][A-Z0-9_]+)\))?(?: \(version [^()]*(?:\([^()]*\))?\))?\s*$/s;

/**
 * Parses the engine's `Code: N. DB::Exception: … (TYPE)`. A text without this frame gets code 0.
 */
export function toWarehouseError(error: unknown): WarehouseError {
  if (error instanceof WarehouseError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const frame = FRAME.exec(text);
  const own = error as { code?: unknown; type?: unknown };
  const number =
    frame?.[1] ?? (typeof own.code === 'string' && /^\d+$/.test(own.code) ? own.code : '0');
  const type = frame?.[3] ?? (typeof own.type === 'string' ? own.type : 'UNKNOWN');
  return new WarehouseError(Number(number), type, frame?.[2] ?? text, { cause: error });
}
