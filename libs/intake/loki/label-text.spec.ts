import fc from 'fast-check';
import { MillraceError } from '@app/platform';
import { labelMembers } from './label-text.js';

const read = (text: string): unknown => JSON.parse(`{${labelMembers(text)}}`);

describe('labels of Loki', () => {
  it.each<[string, object]>([
    ['{}', {}],
    ['{app="shop"}', { app: 'shop' }],
    [' { app = "a,b}" , env="", } ', { app: 'a,b}', env: '' }],
    [
      '{path="C:\\\\x", q="\\"", nl="a\\nb", raw=`a\\n"`}',
      { path: 'C:\\x', q: '"', nl: 'a\nb', raw: 'a\\n"' },
    ],
    ['{a="\\x41\\u00e4\\U0001F600\\101\\t\\xc3\\xa4"}', { a: 'Aä😀A\tä' }],
    ['{"service.name"="ä"}', { 'service.name': 'ä' }],
  ])('%s', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it('that are there twice are so in the object', () => {
    expect(labelMembers('{a="1", a="2"}')).toBe('"a":"1","a":"2"');
  });

  it.each([
    ['', 'want'],
    ['app="shop"', 'want'],
    ['{app=shop}', 'want'],
    ['{app="shop"', 'want'],
    ['{app="shop"} x', 'want'],
    ['{app!="shop"}', 'want'],
    ['{a="1" b="2"}', 'want'],
    ['{a="\\q"}', 'want'],
    ['{a="\\ud800"}', 'want'],
    ['{a="\\xff"}', 'not UTF-8'],
    [`{a="${'x'.repeat(70_000)}"}`, 'at most'],
  ])('%s is refused', (text, reason) => {
    expect(() => labelMembers(text)).toThrow(reason);
  });

  it('are what Go quotes, whatever is in them; other texts are read or refused', () => {
    const name = fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/);
    fc.assert(
      fc.property(fc.dictionary(name, fc.string({ unit: 'binary' })), (labels) => {
        const text = Object.entries(labels).map(
          ([key, value]) => `${key}=${JSON.stringify(value)}`,
        );
        expect(read(`{${text.join(', ')}}`)).toEqual({ ...labels });
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}a=",\\`x0 ') }), (text) => {
        try {
          read(text);
        } catch (error) {
          expect(error).toBeInstanceOf(MillraceError);
        }
      }),
    );
  });
});
