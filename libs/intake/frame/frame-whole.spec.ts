import fc from 'fast-check';
import { frameRecords, frameWhole } from './frame-records.js';

/** Pieces of JSON bodies, valid and broken, in any order. */
const pieces = fc.constantFrom(
  ...['{"a":1}', '{"b":"x\\"y"}', '{', '}', '[', ']', ',', '\n', '\r\n', ' ', '"', '1', 'null'],
  ...['\u0000', '\ufeff', 'PAR1', '{"c":\n2}', 'é', '[{"a":1},{"a":2}]'],
);
const bodies = fc.oneof(
  fc.array(pieces, { maxLength: 12 }).map((all) => Buffer.from(all.join(''))),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);

async function asStream(body: Buffer): Promise<string> {
  async function* one(): AsyncIterable<Buffer> {
    yield await Promise.resolve(Buffer.from(body));
  }
  try {
    const framed: Buffer[] = [];
    for await (const piece of (await frameRecords(one())).lines) framed.push(Buffer.from(piece));
    return Buffer.concat(framed).toString('latin1');
  } catch (error) {
    return String(error);
  }
}

function asWhole(body: Buffer): string {
  try {
    return frameWhole(body).toString('latin1');
  } catch (error) {
    return String(error);
  }
}

describe('framing a body that is all there', () => {
  it('says what framing its stream says, and leaves the body as it was', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const before = Buffer.from(body);
        // A stream without content has no piece.
        if (body.length > 0) expect(asWhole(body)).toBe(await asStream(body));
        expect(body.equals(before)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('refuses an empty body', () => {
    expect(asWhole(Buffer.alloc(0))).toMatch(/the body is empty/);
  });
});
