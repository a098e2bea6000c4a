import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';
import { releaseSentMemory } from '@app/warehouse';

interface Trailers {
  readonly name: string;
  value(): string;
}

/**
 * Sends rows as they come, after the reply's headers, and frees each block when it is sent. If
 * blocks of mebibytes were left to the garbage collector, that would cost as much processor time
 * again as sending them.
 * @param trailers is called when all rows are sent
 * @throws the error of the rows if it comes before the first of them; later the connection is cut.
 */
export async function sendRows(
  rows: NodeJS.ReadableStream,
  reply: FastifyReply,
  trailers?: Trailers,
): Promise<void> {
  const { raw } = reply;
  let begun = false;
  const begin = (): void => {
    if (begun) return;
    begun = true;
    reply.hijack();
    raw.statusCode = reply.statusCode;
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) raw.setHeader(name, value);
    if (!trailers) return;
    raw.setHeader('Trailer', trailers.name);
    raw.setHeader('Transfer-Encoding', 'chunked');
  };
  const client = new Writable({
    write(chunk: Buffer, _encoding, done) {
      begin();
      raw.write(chunk, (error) => {
        if (!error) releaseSentMemory(chunk);
        done(error);
      });
    },
    final(done) {
      begin();
      if (trailers) raw.addTrailers({ [trailers.name]: trailers.value() });
      raw.end();
      done();
    },
  });
  // A write to a connection that has just closed would be kept for ever, without an answer.
  const leave = (): void => void client.destroy();
  if (raw.destroyed) leave();
  else raw.once('close', leave);
  try {
    await pipeline(rows, client);
  } catch (error) {
    if (!begun && !raw.destroyed) throw error;
    raw.destroy();
  }
}
