import fc from 'fast-check';
import { EventStream } from './event-stream.js';

const TEXT =
  'data: {"n":1}\n\nretry: 2000\nevent: begin\nid: a.1\ndata: {}\n\n' +
  'id: a.2\ndata: {"text":"é: x"}\n\n: nothing new\nid: a.3\n\nevent: end\ndata: {"reason":"slow"}\n\n';

it('reads the same events, however the bytes are cut', () => {
  const expected = [
    { event: 'message', data: '{"n":1}', id: '', retry: undefined },
    { event: 'begin', data: '{}', id: 'a.1', retry: 2000 },
    { event: 'message', data: '{"text":"é: x"}', id: 'a.2', retry: undefined },
    { event: 'end', data: '{"reason":"slow"}', id: 'a.3', retry: undefined },
  ];
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: TEXT.length })), (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), TEXT.length];
      const stream = new EventStream();
      const events = places.flatMap((at, index) =>
        stream.read(TEXT.slice(places[index - 1] ?? 0, at)),
      );
      expect(events).toEqual(expected);
    }),
  );
});

it('keeps the id of a place at which nothing was shown', () => {
  const stream = new EventStream('a.1');
  expect(stream.read(': nothing new\nid: a.2\n\n')).toEqual([]);
  expect(stream.id).toBe('a.2');
});
