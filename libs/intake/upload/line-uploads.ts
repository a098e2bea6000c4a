import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { MillraceError, type AuthenticatedRequest } from '@app/platform';
import { WriteProgress } from '@app/writer';
import { HeldBytes } from '../spool/held-bytes.js';
import { UploadIntake, type TakenUpload } from './request/upload-intake.js';
import { UploadPipeline } from './upload.pipeline.js';

/**
 * The members of one JSON object for each record, without the braces. It is undefined after
 * something that is no record, so that the reader can let other requests be served.
 */
export type Lines = Iterable<string | undefined>;

/** Says how another protocol's body becomes lines. */
export interface LineSource {
  readonly stream: string;
  /** The most bytes of the decoded body, which is held in memory. */
  readonly maxBytes: number;
  /** About how many times its size a body takes in memory while it is read. */
  readonly weight: number;
  /** Decompresses the body, if it is compressed. */
  readonly packing?: {
    /** Its length after decompression. @throws {MillraceError} */
    readonly lengthOf: (body: Buffer, maxBytes: number) => number;
    readonly undo: (body: Buffer) => Promise<Buffer>;
  };
  /** Yields the lines of the body; any of them may throw. */
  readonly linesOf: (body: Buffer) => Lines;
  /** With this, the answer comes when the rows can be queried. */
  readonly wait: boolean;
}

export interface LinesStored {
  readonly successful: number;
  readonly failed: number;
  /** The first reason. */
  readonly error: string | undefined;
}

const NOTHING: LinesStored = { successful: 0, failed: 0, error: undefined };

/** The bytes of all bodies that are held at the same time. */
const HELD_BYTES_MAX = 256 * 1024 * 1024;
/** The encoding of a compressed body. */
const PACKED = 'snappy';
/**
 * The limits of all lines together. A value that a body states once for many records is in each
 * line, and a small body must not become a huge upload.
 */
const [LINES_LEAST, LINES_TIMES] = [64 * 1024 * 1024, 100];
const PIECE_CHARACTERS = 64 * 1024;
/** After so many milliseconds the event loop serves other requests, even if no line is complete. */
const TURN_MS = 10;

/**
 * Stores bodies of protocols that do not have one record a line. The body is held in memory as a
 * whole, within limits. Its records are converted to JSON lines while they are read, and the lines
 * are an upload.
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
    // A client with no data to send sends a request nevertheless.
    if (first.done === true) return NOTHING;
    const result = await this.pipeline.upload({
      ...taken,
      stream,
      format: { kind: 'lines' },
      bytes: undefined,
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
