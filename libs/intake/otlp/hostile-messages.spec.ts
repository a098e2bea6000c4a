import { MillraceError } from '@app/platform';
import { entryLines } from '../loki/push-request.js';
import { logLines, LOGS_REQUEST } from './log-records.js';
import { pointLines } from './data-points.js';
import { METRICS_REQUEST } from './metric-shapes.js';
import { spanLines, TRACES_REQUEST } from './spans.js';
import { sampleLines } from '../prometheus/write-request.js';
import type { Lines } from '../upload/line-uploads.js';
import { readMessage } from '../protobuf/messages.js';
import { processorMs } from '../../../test/processor-time.js';

const ROUTES: readonly (readonly [string, (body: Buffer) => Lines])[] = [
  ['logs', (body) => logLines(readMessage(body, LOGS_REQUEST))],
  ['spans', (body) => spanLines(readMessage(body, TRACES_REQUEST))],
  ['metrics', (body) => pointLines(readMessage(body, METRICS_REQUEST))],
  ['Loki', entryLines],
  ['Prometheus', sampleLines],
];

const MIB = 1024 * 1024;
/** Writes field 1 with no bytes. */
const EMPTY = Buffer.from('0a00', 'hex');

/** Writes field 1 with this content and its length. */
function field1(inner: Buffer): Buffer {
  const length: number[] = [];
  for (let left = inner.length; ; left >>>= 7) {
    length.push(left > 0x7f ? (left & 0x7f) | 0x80 : left);
    if (left <= 0x7f) return Buffer.concat([Buffer.from([0x0a, ...length]), inner]);
  }
}

/**
 * @returns the results before the refusal. There are no lines, so all of them are steps between
 *   which other requests are served
 */
function read(lines: () => Lines): { readonly refused?: string; readonly steps: number } {
  let steps = 0;
  try {
    for (const line of lines()) {
      // One `expect` for each would take longer than the tested code.
      if (line !== undefined) throw new Error(`a line: ${line}`);
      steps += 1;
    }
    return { steps };
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    return { refused: error.kind, steps };
  }
}

describe.each(ROUTES)('hostile messages of %s', (_name, linesOf) => {
  it.each([
    ['empty messages', (bytes: number) => Buffer.alloc(bytes, EMPTY)],
    ['unknown fields', (bytes: number) => Buffer.alloc(bytes, Buffer.from('7800', 'hex'))],
    ['groups', (bytes: number) => Buffer.alloc(bytes, Buffer.from('7b7c', 'hex'))],
    [
      'messages with unknown ones',
      (bytes: number) => field1(Buffer.alloc(bytes, Buffer.from('7a00', 'hex'))),
    ],
  ])('%s are refused before long', (_kind, bodyOf) => {
    const begun = processorMs();
    const { refused } = read(() => linesOf(bodyOf(64 * MIB)));
    expect(refused).toBe('UPLOAD_TOO_LARGE');
    expect(processorMs() - begun).toBeLessThan(15_000);
  });

  it('are many steps, and no more than a million', () => {
    const { refused, steps } = read(() => linesOf(Buffer.alloc(4 * MIB, EMPTY)));
    expect(refused).toBe('UPLOAD_TOO_LARGE');
    expect(steps).toBeGreaterThan(900_000);
    expect(steps).toBeLessThanOrEqual(1_000_000);
    expect(read(() => linesOf(Buffer.alloc(MIB, EMPTY)))).toEqual({ steps: MIB / 2 });
  });
});

it('labels of streams without entries are not read', () => {
  const labels = Buffer.from(`{a="${'\\n'.repeat(30_000)}"}`);
  const body = Buffer.concat(Array.from({ length: 1000 }, () => field1(field1(labels))));
  const begun = processorMs();
  expect(read(() => entryLines(body))).toEqual({ steps: 1000 });
  expect(processorMs() - begun).toBeLessThan(15_000);
});
