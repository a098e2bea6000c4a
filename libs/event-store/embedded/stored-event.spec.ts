import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import type { EventMetadata } from '../event.js';
import { eventOf, storedText } from './stored-event.js';

const event = (data: unknown, metadata: unknown = { actor: 'ä' }) => ({
  id: 'i"1',
  type: 'Type',
  data,
  metadata: metadata as EventMetadata,
  stream: 'user-1',
  revision: 3,
});

describe('the text of a stored event', () => {
  it('gives the event back, whatever it says', () => {
    const odd = fc.constantFrom(',"metadata":', '","metadata":{},"sum":1}', '\ud800', '\u2028');
    const value = fc.oneof(fc.jsonValue(), odd, fc.dictionary(odd, fc.jsonValue()));
    fc.assert(
      fc.property(value, value, (data, metadata) => {
        const stored = JSON.parse(JSON.stringify(event(data, metadata))) as object;
        expect(eventOf(storedText(event(data, metadata)), 7)).toEqual({ ...stored, position: 7n });
      }),
    );
  });

  it('is no event, or the same one, where a character is another one', () => {
    const text = storedText(event({ role: 'admin', list: [1, null] }));
    const whole = eventOf(text, 7);
    for (let at = 0; at < text.length; at += 1) {
      const damaged = `${text.slice(0, at)}${text[at] === '7' ? '8' : '7'}${text.slice(at + 1)}`;
      let read: unknown;
      try {
        read = eventOf(damaged, 7);
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
      }
      // A checksum under another name does not count, as in an event from before there were
      // checksums.
      if (read !== undefined) expect(read).toEqual(whole);
    }
  });

  it('has the sum that releases before read and wrote', () => {
    const { id, type, data, metadata, stream, revision } = event({ a: 1 });
    const sum = crc32(JSON.stringify([id, type, data, metadata, stream, revision]));
    expect(storedText(event({ a: 1 }))).toBe(
      JSON.stringify({ id, type, data, metadata, stream, revision, sum }),
    );
    // Nobody promises an order of the fields.
    const turned = JSON.stringify({ sum, revision, stream, metadata, data, type, id });
    expect(eventOf(turned, 7)).toEqual({ ...event({ a: 1 }), position: 7n });
    expect(eventOf(turned.replace('"a":1', '"a":2'), 7)).toBeUndefined();
  });

  it.each([0, -1, 1.5])('is none at position %d', (position) => {
    expect(eventOf(storedText(event({})), position)).toBeUndefined();
  });
});
