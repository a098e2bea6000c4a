import fc from 'fast-check';
import { listElements, rowFields, spread } from './row-fields.js';

describe('the fields of a row', () => {
  it('are what the server wrote, to the last digit', () => {
    const line =
      '{"id":9007199254740993,"price":1.10,"big":1e400,"name":"a \\"b\\" {,}","none":null,"yes":true,"in":{"a":[1,{"b":"}"}]}}';
    expect([...rowFields(line)]).toEqual([
      ['id', { kind: 'number', text: '9007199254740993' }],
      ['price', { kind: 'number', text: '1.10' }],
      ['big', { kind: 'number', text: '1e400' }],
      ['name', { kind: 'text', text: 'a "b" {,}' }],
      ['none', { kind: 'null', text: 'null' }],
      ['yes', { kind: 'boolean', text: 'true' }],
      ['in', { kind: 'nested', text: '{"a":[1,{"b":"}"}]}' }],
    ]);
    expect([...rowFields('{}')]).toEqual([]);
  });

  it('are within the elements of a list, as the server wrote each', () => {
    fc.assert(
      fc.property(fc.array(fc.json()), (elements) => {
        const trimmed = elements.map((each) => each.trim());
        expect(listElements(`[${elements.join(', ')}]`)).toEqual(trimmed);
      }),
    );
    expect(listElements('[{"n":9007199254740993} , {"a":[1,"]"]}\n]')).toEqual([
      '{"n":9007199254740993}',
      '{"a":[1,"]"]}',
    ]);
  });

  it('are those of any record', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), (row) => {
        const fields = rowFields(JSON.stringify(row));
        // JSON.stringify names the keys in the order that JavaScript has.
        expect([...fields.keys()]).toEqual(Object.keys(row));
        for (const [name, { kind, text }] of fields) {
          const value = kind === 'text' ? text : (JSON.parse(text) as unknown);
          expect(value).toEqual(JSON.parse(JSON.stringify(row[name])));
        }
      }),
    );
  });

  it('spread over lines mean the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        expect(JSON.parse(spread(json))).toEqual(JSON.parse(json));
        expect(spread(json)).toBe(JSON.stringify(JSON.parse(json), null, 2));
      }),
    );
  });
});
