import type { AcceptPart } from '../store/accept-parts.js';
import { untilRefused } from './until-refused.js';

const REFUSED = new Error('refused');
const ACCEPTED = {
  schema: undefined,
  accepted: undefined,
  rejected: undefined,
  recordBytes: 0,
};

/** A part for each line. */
async function* partEach(
  lines: AsyncIterable<Buffer>,
  accept: AcceptPart,
): AsyncIterable<AcceptPart> {
  for await (const line of lines) if (line.length > 0) yield accept;
}

describe('untilRefused', () => {
  it('hands on all parts of a body that is not refused, and lets the body go', async () => {
    let left = false;
    const body = (async function* () {
      try {
        yield* await Promise.resolve([Buffer.from('1\n'), Buffer.from('2\n')]);
      } finally {
        left = true;
      }
    })();
    const parts = untilRefused(body, (lines) => partEach(lines, () => Promise.resolve(ACCEPTED)));
    const results = [];
    for await (const accept of parts) results.push(await accept());
    expect(results).toEqual([ACCEPTED, ACCEPTED]);
    expect(left).toBe(true);
  });

  it('waits for nothing more of a body once a part is refused', async () => {
    const body = (async function* () {
      yield Buffer.from('1\n');
      await new Promise(() => undefined);
    })();
    const refuse = (): Promise<never> => Promise.reject(REFUSED);
    const parts = untilRefused(body, (lines) => partEach(lines, refuse))[Symbol.asyncIterator]();
    const first = await parts.next();
    const second = parts.next();
    await expect((first.value as AcceptPart)()).rejects.toBe(REFUSED);
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
    const parts = untilRefused(body, (lines) => partEach(lines, refuse))[Symbol.asyncIterator]();
    const first = await parts.next();
    const second = parts.next();
    await expect((first.value as AcceptPart)()).rejects.toBe(REFUSED);
    cutOff();
    await expect(second).rejects.toBe(REFUSED);

    const broken = (async function* () {
      yield Buffer.from('1\n');
      await Promise.reject(gone);
    })();
    const others = untilRefused(broken, (lines) =>
      partEach(lines, () => Promise.resolve(ACCEPTED)),
    )[Symbol.asyncIterator]();
    await others.next();
    await expect(others.next()).rejects.toBe(gone);
  });
});
