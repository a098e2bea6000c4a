import { Writable, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';
import { letGoSent } from '@app/warehouse';

/**
 * Sends rows as they come, after the reply's headers, and frees each block when it is sent: left to
 * the collector, blocks of mebibytes cost as much processor time again as sending them.
 * @throws what the rows fail with before the first of them; later the connection is cut.
 */
export async function sendRows(rows: Readable, reply: FastifyReply): Promise<void> {
  const { raw } = reply;
  let begun = false;
  const begin = (): void => {
    if (begun) return;
    begun = true;
    reply.hijack();
    raw.statusCode = reply.statusCode;
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) raw.setHeader(name, value);
  };
  const client = new Writable({
    write(chunk: Buffer, _encoding, done) {
      begin();
      raw.write(chunk, (error) => {
        if (!error) letGoSent(chunk);
        done(error);
      });
    },
    final(done) {
      begin();
      raw.end();
      done();
    },
  });
  // A write to a connection that has just gone is kept for ever, and never answered.
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
