import type { AcceptChunk } from '../store/concurrent-acceptance.js';
import { untilRefused } from './until-refused.js';

const REFUSED = new Error('refused');
const ACCEPTED = {
  schema: undefined,
  accepted: undefined,
  rejected: undefined,
  recordBytes: 0,
};

/** A chunk for each line. */
async function* chunkEach(
  lines: AsyncIterable<Buffer>,
  accept: AcceptChunk,
): AsyncIterable<AcceptChunk> {
  for await (const line of lines) if (line.length > 0) yield accept;
}

describe('untilRefused', () => {
  it('hands on all chunks of a body that is not refused, and lets the body go', async () => {
    let left = false;
    const body = (async function* () {
      try {
        yield* await Promise.resolve([Buffer.from('1\n'), Buffer.from('2\n')]);
      } finally {
        left = true;
      }
    })();
    const chunks = untilRefused(body, (lines) => chunkEach(lines, () => Promise.resolve(ACCEPTED)));
    const results = [];
    for await (const accept of chunks) results.push(await accept());
    expect(results).toEqual([ACCEPTED, ACCEPTED]);
    expect(left).toBe(true);
  });

  it('waits for nothing more of a body once a chunk is refused', async () => {
    const body = (async function* () {
      yield Buffer.from('1\n');
      await new Promise(() => undefined);
    })();
    const refuse = (): Promise<never> => Promise.reject(REFUSED);
    const chunks = untilRefused(body, (lines) => chunkEach(lines, refuse))[Symbol.asyncIterator]();
    const first = await chunks.next();
    const second = chunks.next();
    await expect((first.value as AcceptChunk)()).rejects.toBe(REFUSED);
    await expect(second).rejects.toBe(REFUSED);
  });

  it('says what a body failed with, and nothing of a body that fails after it was refused', async () => {
    const gone = new Error('cut off');
    let cutOff: () => void = () => undefined;
    const promise = new Promise<Buffer>((_resolve, reject) => {
      cutOff = () => {
        reject(gone);
      };
    });
    const body = (async function* () {
      yield Buffer.from('1\n');
      yield await promise;
    })();
    const refuse = (): Promise<never> => Promise.reject(REFUSED);
    const chunks = untilRefused(body, (lines) => chunkEach(lines, refuse))[Symbol.asyncIterator]();
    const first = await chunks.next();
    const second = chunks.next();
    await expect((first.value as AcceptChunk)()).rejects.toBe(REFUSED);
    cutOff();
    await expect(second).rejects.toBe(REFUSED);

    const broken = (async function* () {
      yield Buffer.from('1\n');
      await Promise.reject(gone);
    })();
    const others = untilRefused(broken, (lines) =>
      chunkEach(lines, () => Promise.resolve(ACCEPTED)),
    )[Symbol.asyncIterator]();
    await others.next();
    await expect(others.next()).rejects.toBe(gone);
  });
});
