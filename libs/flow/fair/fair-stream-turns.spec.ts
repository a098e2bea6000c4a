import { FairStreamTurns } from './fair-stream-turns.js';

const PIECE = Buffer.alloc(64 * 1024);

async function* body(pieces: number): AsyncIterable<Buffer> {
  for (let n = 0; n < pieces; n += 1) yield await Promise.resolve(PIECE);
}

describe('FairStreamTurns', () => {
  it('hands every piece on, in order', async () => {
    const turns = new FairStreamTurns();
    const sent = Array.from({ length: 100 }, (_, n) => Buffer.alloc(10_000, n));
    const got: Buffer[] = [];
    const source = (async function* () {
      for (const piece of sent) yield await Promise.resolve(piece);
    })();
    for await (const piece of turns.pass('a', source)) got.push(piece);
    expect(Buffer.concat(got).equals(Buffer.concat(sent))).toBe(true);
  });

  it('lets one organization’s body through beside a hundred of another', async () => {
    const turns = new FairStreamTurns();
    let flooded = 0;
    const flood = Array.from({ length: 100 }, async () => {
      for await (const piece of turns.pass('flood', body(20))) flooded += piece.length;
    });
    let calm = 0;
    for await (const piece of turns.pass('calm', body(20))) calm += piece.length;
    // In turns each has half; without them this one would be among the last.
    expect(calm).toBe(20 * PIECE.length);
    expect(flooded / PIECE.length).toBeLessThan(200);
    await Promise.all(flood);
    expect(flooded).toBe(2000 * PIECE.length);
  });
});
