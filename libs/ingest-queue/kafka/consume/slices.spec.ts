import fc from 'fast-check';
import type { KafkaMessage } from 'kafkajs';
import { textHeaders, textsOfHeaders } from './slices.js';

const text = fc.string({ maxLength: 2 });
const value = fc.oneof(
  text.map((each) => Buffer.from(each)),
  text,
  fc.array(text, { maxLength: 2 }),
);
const headers = fc.option(fc.dictionary(fc.constantFrom('a', 'b', 'stream'), value), {
  nil: undefined,
});
const message = headers.map((each): KafkaMessage => ({
  ...{ key: null, value: null, timestamp: '0', attributes: 0, offset: '0' },
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
      ...{ key: null, value: null, timestamp: '0', attributes: 0, offset: '0' },
      headers: { stream: Buffer.from('logs') },
    });
    const [first, second] = textsOfHeaders([same(), same()]);
    expect(first).toBe(second);
  });
});
