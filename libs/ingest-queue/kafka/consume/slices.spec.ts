import fc from 'fast-check';
import type { KafkaMessage } from 'kafkajs';
import { textHeaders, textsOfHeaders } from './slices.js';

const text = fc.string({ maxLength: 2 });
const value = fc.oneof(
  text.map((each) => Buffer.from(each)),
  text,
  fc.array(text, { maxLength: 2 }),
);
const bare = { key: null, value: null, timestamp: '0', attributes: 0, offset: '0' };
const headers = fc.option(fc.dictionary(fc.constantFrom('a', 'b', 'stream'), value), {
  nil: undefined,
});
const message = headers.map((each): KafkaMessage => ({
  ...bare,
  ...(each === undefined ? {} : { headers: each }),
}));

describe('the headers of messages in a row', () => {
  it('are those of each message', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
        expect(textsOfHeaders(messages)).toEqual(messages.map(textHeaders));
      }),
      { numRuns: 1000 },
    );
  });

  it('are one object where they are the same', () => {
    const same = (): KafkaMessage => ({
      ...bare,
      headers: { stream: Buffer.from('logs') },
    });
    const [first, second] = textsOfHeaders([same(), same()]);
    expect(first).toBe(second);
  });

  it('leave out those without a value', () => {
    const none = null as unknown as undefined;
    const sent = { stream: Buffer.from('logs'), 'idempotency-key': none, empty: Buffer.alloc(0) };
    expect(textHeaders({ ...bare, headers: sent })).toEqual({ stream: 'logs', empty: '' });
  });

  it('tell bytes apart that are no text', () => {
    const key = (bytes: number[]) =>
      textHeaders({ ...bare, headers: { key: Buffer.from(bytes) } })['key'];
    expect([key([0, 0x80]), key([0, 0x81]), key([0xc3, 0xa9])]).toEqual(['0x0080', '0x0081', 'é']);
  });
});
