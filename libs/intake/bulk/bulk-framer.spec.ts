import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { BulkFramer } from './bulk-framer.js';
import type { Rejections } from './bulk-items.js';

interface Framed {
  readonly streams: Record<string, string>;
  readonly answer: { errors: boolean; items: Record<string, Record<string, unknown>>[] };
}

function frame(
  pieces: readonly string[],
  { stream, rejections = new Map() }: { stream?: string; rejections?: Rejections } = {},
): Framed {
  const framer = new BulkFramer(stream);
  const streams: Record<string, string> = {};
  const take = (bodies: ReadonlyMap<string, Buffer>): void => {
    for (const [name, bytes] of bodies) streams[name] = (streams[name] ?? '') + bytes.toString();
  };
  for (const piece of pieces) take(framer.push(Buffer.from(piece)));
  take(framer.end());
  const text = [...framer.items.answer(rejections, 5)].join('');
  return { streams, answer: JSON.parse(text) as Framed['answer'] };
}

const statuses = ({ answer }: Framed): unknown[] =>
  answer.items.map((item) => Object.values(item)[0]?.status);

describe('BulkFramer', () => {
  it('reads an action alike in the usual notation and in others', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary', maxLength: 4 }));
    fc.assert(
      fc.property(text, fc.constantFrom('a', 'b c', 'é', ''), (id, index) => {
        const [first, second] = [
          `"_index":${JSON.stringify(index)}`,
          `"_id":${JSON.stringify(id)}`,
        ];
        const framed = (...members: string[]): Framed =>
          frame([`{"index":{${members.join(',')}}}\n{"n":1}\n`]);
        expect(framed(first, second)).toEqual(framed(second, first));
      }),
    );
  });

  it('separates documents by stream, in order, as they came', () => {
    const body =
      '{"index":{"_index":"a"}}\n{"n": 1 }\n{"create":{"_index":"b"}}\n{"n":2}\r\n\n{"index":{"_index":"a"}}\n{"n":3}';
    const { streams, answer } = frame([body]);
    expect(streams).toEqual({ a: '{"n": 1 }\n{"n":3}\n', b: '{"n":2}\r\n' });
    expect(answer).toEqual({
      took: 5,
      errors: false,
      items: [
        { index: { _index: 'a', status: 201 } },
        { create: { _index: 'b', status: 201 } },
        { index: { _index: 'a', status: 201 } },
      ],
    });
  });

  it.each<[string, string, string | undefined]>([
    ['{"n":1}', '{"_id":"x","n":1}\n', undefined],
    [' { "n":1}', ' {"_id":"x" ,"n":1}\n', undefined],
    ['{}', '{"_id":"x"}\n', undefined],
    ['{ }', '{"_id":"x" }\n', undefined],
    ['[1]', '[1]\n', undefined],
    ['', '\n', 'document_parsing_exception'],
  ])('puts an _id into the document %j', (document, expected, error) => {
    const body = `{"index":{"_index":"a","_id":"x"}}\n${document}\n`;
    for (const pieces of [[body], [...body]]) {
      const { streams, answer } = frame(pieces);
      expect(streams).toEqual({ a: expected });
      expect(answer.items[0]?.index).toMatchObject({
        _id: 'x',
        status: error === undefined ? 201 : 400,
        ...(error === undefined ? {} : { error: { type: error } }),
      });
    }
  });

  it.each([
    '9007199254740993',
    '12345678901234567890123',
    '1.50',
    '1e3',
    '-0',
    '42',
    '42 ,"routing":"_id"',
  ])('keeps an _id that was sent as a number as it was written: %s', (id) => {
    const { streams, answer } = frame([`{"index":{"_index":"a","_id": ${id}}}\n{"n":1}\n`]);
    const [written = ''] = id.split(' ');
    expect(streams).toEqual({ a: `{"_id":"${written}","n":1}\n` });
    expect(answer.items).toEqual([{ index: { _index: 'a', _id: written, status: 201 } }]);
  });

  it('reads such an _id beside lists that are nested as deep as a line is long', () => {
    const deep = '['.repeat(32_000) + ']'.repeat(32_000);
    const action = `{"index":{"_index":"a","x":${deep},"_id":1,"_id":1.50}}`;
    expect(frame([`${action}\n{"n":1}\n`]).streams).toEqual({ a: '{"_id":"1.50","n":1}\n' });
  });

  it('answers what is not stored item by item, and stores the rest', () => {
    const framed = frame(
      [
        '{"delete":{"_index":"a","_id":"1"}}\n{"update":{"_index":"a","_id":"1"}}\n{"doc":{}}\n',
        '{"index":{"_index":"_a"}}\n{"n":1}\n{"index":{}}\n{"n":2}\n{"index":{"_index":"a","_id":{}}}\n{"n":3}\n',
        '{"index":{"_index":"a","_id":4}}\n{"n":4}\n{"index":{"_index":7}}\n{"n":5}\n{"index":{"_index":"a","_id":""}}\n{}\n',
      ],
      {},
    );
    expect(framed.streams).toEqual({ a: '{"_id":"4","n":4}\n' });
    expect(statuses(framed)).toEqual([400, 400, 400, 400, 400, 201, 400, 400]);
  });

  it('sends to the stream of the path what names none', () => {
    expect(frame(['{"index":{}}\n{"n":1}\n'], { stream: 'd' }).streams).toEqual({ d: '{"n":1}\n' });
  });

  it('tells rejections at their items', () => {
    const body = (names: string): string =>
      [...names].map((name) => `{"index":{"_index":"${name}"}}\n{}\n`).join('');
    const rejections = new Map([
      ['a', [1, 4, 6].map((line) => ({ line, reason: `a${line}` }))],
      ['b', [{ line: 2, reason: 'b2' }]],
    ]);
    // `a` gets a blank document, which took its line and is told already, as its third
    const { answer } = frame([body('aab'), '{"index":{"_index":"a"}}\n\n', body('abaa')], {
      rejections,
    });
    const told = answer.items.map(({ index }) => [
      index?._index,
      (index?.error as { reason?: string } | undefined)?.reason ?? 'stored',
    ]);
    expect(told).toEqual([
      ['a', 'a1'],
      ['a', 'stored'],
      ['b', 'stored'],
      ['a', expect.stringContaining('empty')],
      ['a', 'a4'],
      ['b', 'b2'],
      ['a', 'stored'],
      ['a', 'a6'],
    ]);
    expect(answer.errors).toBe(true);
  });

  it('keeps little of many alike, and refuses too many that differ', () => {
    const alternating = (id: (n: number) => string) => (): void => {
      let body = '';
      for (let n = 0; n < 300_000; n += 1) body += `{"index":{"_index":"s${n % 2}"${id(n)}}}\n{}\n`;
      new BulkFramer(undefined).push(Buffer.from(body));
    };
    expect(alternating(() => '')).not.toThrow();
    expect(alternating((n) => `,"_id":"${n}"`)).toThrow('split it');
  });

  it('keeps nothing of long actions that differ', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const used = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const framer = new BulkFramer('a');
    const before = used();
    const note = 'x'.repeat(60_000);
    for (let n = 0; n < 500; n += 1)
      framer.push(Buffer.from(`{"index":{"note":"${n}${note}"}}\n{}\n`));
    const kept = used() - before;
    expect(framer.end().size).toBe(0);
    expect(kept).toBeLessThan(10e6);
  });

  it.each([
    ['nope\n{}\n', 'line 1'],
    ['{"index":{"_index":"a"}}\n{}\n{"n":1}\n', 'line 3'],
    ['{"index":{"_index":"a"},"create":{}}\n{}\n', 'line 1'],
    ['{"index":[]}\n{}\n', 'line 1'],
    ['{"index":{"_index":"a"}}\n', 'cut off'],
    ['{"index":{"_index":"a"}}', 'cut off'],
    [`{"index":{"_index":"a","x":"${'x'.repeat(70_000)}"}}\n{}\n`, 'at most 65536 bytes'],
    ['{"index":{"_index":"a"}}{"n":1}', '--data-binary keeps them'],
  ])('refuses what is malformed: %#', (body, message) => {
    expect(() => frame([body])).toThrow(message);
    expect(() => frame([...body])).toThrow(message);
  });

  it('makes the same of a body however it is cut', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const action = fc.oneof(
      name.map((index) => `{"index":{"_index":"${index}"}}`),
      fc
        .tuple(name, fc.string())
        .map(([index, id]) => JSON.stringify({ create: { _index: index, _id: `x${id}` } })),
    );
    const document = fc.oneof(
      fc.json({ maxDepth: 1 }),
      fc.dictionary(fc.string(), fc.string()).map((value) => JSON.stringify(value)),
      fc.constantFrom('', ' ', '{', '\r', ' { "a":1}', '{ }', ' [', '{ '),
    );
    const entry = fc.oneof(
      fc.tuple(action, document).map(([first, second]) => `${first}\n${second}\n`),
      fc.constant('{"delete":{"_index":"a"}}\n'),
    );
    const body = fc.array(entry, { maxLength: 12 }).map((entries) => entries.join(''));
    fc.assert(
      fc.property(body, fc.array(fc.nat(40)), (text, cuts) => {
        const bytes = Buffer.from(text);
        const pieces: Buffer[] = [];
        let at = 0;
        for (const cut of cuts) pieces.push(bytes.subarray(at, (at += cut)));
        pieces.push(bytes.subarray(at));
        const framer = new BulkFramer(undefined);
        const bodies: Record<string, Buffer> = {};
        for (const taken of [...pieces.map((piece) => framer.push(piece)), framer.end()])
          for (const [stream, more] of taken)
            bodies[stream] = Buffer.concat([bodies[stream] ?? Buffer.alloc(0), more]);
        const streams = Object.fromEntries(
          Object.entries(bodies).map(([stream, all]) => [stream, all.toString()]),
        );
        const answer = JSON.parse([...framer.items.answer(new Map(), 5)].join('')) as unknown;
        const whole = frame([text]);
        expect({ streams, answer }).toEqual(whole);
        // each document has its line
        const lines = Object.values(streams).reduce(
          (sum, each) => sum + each.split('\n').length - 1,
          0,
        );
        expect(lines).toBe(whole.answer.items.filter((item) => !item.delete).length);
      }),
    );
  });
});
