import { MillraceError } from '@app/platform';
import { Channel } from './channel.js';

const STREAMS_MAX = 200;

/** Hands the pieces of one body to one reader for each stream; a reader that is ahead waits. */
export class StreamChannels<T> {
  private readonly channels = new Map<string, Channel>();
  private readonly reading: Promise<T>[] = [];

  /** @param read reads all documents of a stream */
  constructor(
    private readonly read: (stream: string, lines: AsyncIterable<Buffer>) => Promise<T>,
  ) {}

  /**
   * @throws {MillraceError} UPLOAD_TOO_LARGE when there are too many streams; errors of a reader.
   */
  async put(stream: string, piece: Buffer): Promise<void> {
    const channel = this.channels.get(stream) ?? this.open(stream);
    // A reader stops before the end only if it failed.
    if (!(await channel.put(piece))) await Promise.all(this.reading);
  }

  /** @returns the results of the readers. */
  async end(): Promise<T[]> {
    for (const channel of this.channels.values()) channel.end();
    return Promise.all(this.reading);
  }

  /** Ends all readers with a failure, and waits until they have. */
  async fail(failure: Error): Promise<void> {
    for (const channel of this.channels.values()) channel.end(failure);
    await Promise.allSettled(this.reading);
  }

  private open(stream: string): Channel {
    if (this.channels.size >= STREAMS_MAX)
      throw new MillraceError(
        'UPLOAD_TOO_LARGE',
        `a bulk request may go to at most ${STREAMS_MAX} streams; split it`,
      );
    const channel = new Channel();
    this.channels.set(stream, channel);
    const reading = this.read(stream, channel).finally(() => channel.leave());
    // The failure is handled where the promise is awaited. Until then it must not count as
    // unhandled.
    reading.catch(() => undefined);
    this.reading.push(reading);
    return channel;
  }
}
