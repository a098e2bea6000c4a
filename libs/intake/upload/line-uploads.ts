import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { MillraceError, type AuthenticatedRequest } from '@app/platform';
import { WriteProgress } from '@app/writer';
import { HeldBytes } from '../spool/held-bytes.js';
import { UploadIntake, type TakenUpload } from './request/upload-intake.js';
import { UploadPipeline } from './upload.pipeline.js';

/**
 * The members of one JSON object for each record: what would stand between its braces. Undefined
 * where something was read that is no record, so that who reads them can let others be served.
 */
export type Lines = Iterable<string | undefined>;

/** The lines that another protocol's body becomes. */
export interface LineSource {
  readonly stream: string;
  /** The most bytes of the decoded body, which is held in memory. */
  readonly maxBytes: number;
  /** Tells how many times its bytes reading it takes of memory, about. */
  readonly weight: number;
  /** Undoes what the body is packed in, where it is. */
  readonly packing?: {
    /** Its length when it is undone. @throws {MillraceError} */
    readonly lengthOf: (body: Buffer, maxBytes: number) => number;
    readonly undo: (body: Buffer) => Promise<Buffer>;
  };
  /** Gives the lines of the body; it may throw at any of them. */
  readonly linesOf: (body: Buffer) => Lines;
  /** Answer when the rows can be queried. */
  readonly wait: boolean;
}

export interface LinesStored {
  readonly successful: number;
  readonly failed: number;
  /** The first reason. */
  readonly error: string | undefined;
}

const NOTHING: LinesStored = { successful: 0, failed: 0, error: undefined };

/** All bodies that are held at the same time may have so many bytes. */
const HELD_BYTES_MAX = 256 * 1024 * 1024;
/** The encoding that a packed body may have. */
const PACKED = 'snappy';
/** The bounds of all lines together: what is said once of many records is in each of them, and a small body must not become a huge upload. */
const [LINES_LEAST, LINES_TIMES] = [64 * 1024 * 1024, 100];
const PIECE_CHARACTERS = 64 * 1024;
/** After so many milliseconds the event loop serves others, even if no line is complete. */
const TURN_MS = 10;

/**
 * Stores what comes in a protocol that has no records a line. Its body is held whole, within
 * bounds; its records become JSON lines while they are asked for, and those are an upload.
 */
@Injectable()
export class LineUploads {
  private readonly held = new HeldBytes(HELD_BYTES_MAX);

  constructor(
    private readonly intake: UploadIntake,
    private readonly pipeline: UploadPipeline,
    private readonly progress: WriteProgress,
  ) {}

  /** @throws {MillraceError} with nothing stored. */
  async store(request: AuthenticatedRequest, source: LineSource): Promise<LinesStored> {
    const taken = await this.intake.take(request, undefined, source.packing && PACKED);
    const { share } = taken.organization;
    let held = 0;
    try {
      const pieces: Buffer[] = [];
      for await (const piece of taken.body) {
        checkLength(held / source.weight + piece.length, source.maxBytes);
        this.held.take(share, piece.length * source.weight);
        held += piece.length * source.weight;
        pieces.push(piece);
      }
      const body = Buffer.concat(pieces);
      const { packing } = source;
      if (!packing) return await this.storeBody(taken, body, source);
      const length = packing.lengthOf(body, source.maxBytes);
      this.held.take(share, length);
      held += length;
      return await this.storeBody(taken, await packing.undo(body), source);
    } finally {
      this.held.giveBack(share, held);
    }
  }

  private async storeBody(
    taken: TakenUpload,
    body: Buffer,
    { stream, linesOf, wait }: LineSource,
  ): Promise<LinesStored> {
    const most = Math.min(taken.maxBytes, LINES_LEAST + body.length * LINES_TIMES);
    const pieces = piecesOf(linesOf(body), most);
    const first = await pieces.next();
    // A client that has nothing to tell sends a request all the same.
    if (first.done === true) return NOTHING;
    const result = await this.pipeline.upload({
      ...taken,
      stream,
      format: { kind: 'lines' },
      body: continued(first.value, pieces),
    });
    if (wait && result.position) await this.progress.awaitWritten(result.position, result.first);
    return result;
  }
}

/** @param maxBytes of all lines */
async function* piecesOf(lines: Lines, maxBytes: number): AsyncGenerator<Buffer, undefined> {
  let begun = '';
  let bytes = 0;
  let turn = performance.now();
  for (const members of lines) {
    if (performance.now() - turn > TURN_MS) {
      await setImmediate();
      turn = performance.now();
    }
    if (members === undefined) continue;
    begun += `{${members}}\n`;
    if (begun.length < PIECE_CHARACTERS) continue;
    const piece = Buffer.from(begun);
    bytes += piece.length;
    if (bytes > maxBytes)
      throw new MillraceError(
        'UPLOAD_TOO_LARGE',
        `the records of this request would have more than ${maxBytes} bytes, with what is said once of many; split it`,
      );
    yield piece;
    begun = '';
  }
  if (begun !== '') yield Buffer.from(begun);
  return undefined;
}

async function* continued(
  first: Buffer,
  rest: AsyncGenerator<Buffer, undefined>,
): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

function checkLength(bytes: number, maxBytes: number): void {
  if (bytes > maxBytes)
    throw new MillraceError(
      'UPLOAD_TOO_LARGE',
      `this request may have at most ${maxBytes} bytes when decoded; split it`,
    );
}
