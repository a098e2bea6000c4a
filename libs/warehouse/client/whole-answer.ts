import { Transform, type Readable, type TransformCallback } from 'node:stream';

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * From 25.11 on, a failure within an answer looks like this:
 * `\r\n__exception__\r\n<tag>\r\n<text>\n<length> <tag>\r\n__exception__\r\n`.
 */
const MARK = '\r\n__exception__\r\n';
const TAG_HEADER = 'x-clickhouse-exception-tag';
/**
 * Older servers write only the text at the end. No row of ours ends like that: JSON ends in a
 * bracket, CSV's texts in a quote.
 */
const BARE = /(?:^|\n)(Code: \d+\. DB::Exception: .*\(version [^\n]*\))\s*$/s;
/** The server's texts are shorter. */
const HELD_BYTES = 32 * 1024;

/**
 * The bytes of an answer. The last ones are held back until it is known that they are rows, because
 * a server answers 200 before it knows whether the query will succeed. Destroying it closes the
 * connection.
 * @param toError what the stream fails with, made of the server's text or of what broke it.
 */
export function whole(
  answer: Readable,
  headers: Headers,
  toError: (error: unknown) => Error,
): Readable {
  const tag = headers[TAG_HEADER];
  const rows = new WholeAnswer(typeof tag === 'string' ? tag : undefined, toError);
  answer.once('error', (error) => rows.cut(error));
  rows.once('close', () => answer.destroy());
  return answer.pipe(rows);
}

class WholeAnswer extends Transform {
  private held: Buffer = Buffer.alloc(0);

  constructor(
    private readonly tag: string | undefined,
    private readonly toError: (error: unknown) => Error,
  ) {
    super();
  }

  /** The server closes the connection after the text of a failure. */
  cut(error: unknown): void {
    this.destroy(this.toError(this.failure() ?? error));
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (chunk.length >= HELD_BYTES) {
      this.push(this.held);
      this.held = chunk;
    } else {
      const both = Buffer.concat([this.held, chunk]);
      const sure = Math.max(0, both.length - HELD_BYTES);
      this.push(both.subarray(0, sure));
      this.held = both.subarray(sure);
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    const failure = this.failure();
    if (failure !== undefined) done(this.toError(failure));
    else done(null, this.held);
  }

  /** The text of a failure at the end of the held bytes. */
  private failure(): string | undefined {
    return this.tag === undefined ? bare(this.held) : tagged(this.held, this.tag);
  }
}

/** The server makes a new tag for each answer, so no row can contain it. */
function tagged(held: Buffer, tag: string): string | undefined {
  const opening = Buffer.from(`${MARK}${tag}\r\n`);
  const start = held.indexOf(opening);
  if (start === -1) return undefined;
  const text = held.subarray(start + opening.length).toString('utf8');
  const end = text.lastIndexOf('\n', text.lastIndexOf(` ${tag}`));
  return (end === -1 ? text : text.slice(0, end)).trimEnd();
}

function bare(held: Buffer): string | undefined {
  return BARE.exec(held.toString('utf8'))?.[1];
}
