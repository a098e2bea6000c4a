import { explainRefusedJson } from './explain-refused-json.js';

describe('explaining a record that is no JSON', () => {
  it.each([
    ['{"a":1}{"a":2}', 'end of file expected at column 8; each record wants a line of its own'],
    ['{\u201ca\u201d:1}', 'invalid symbol at column 2; \u201c is a curly quote'],
    ["{'a':1}", 'invalid symbol at column 2; JSON has double quotes'],
    ['a,b', 'invalid symbol at column 1; a record is an object, as {"a":1}; CSV goes to _csv'],
    ['1,2', 'end of file expected at column 2; a record is an object'],
  ])('says of %s what to send instead', (text, explained) => {
    expect(explainRefusedJson(text)).toContain(`malformed JSON: ${explained}`);
  });

  it('gives no advice where it knows none', () => {
    expect(explainRefusedJson('{"a" 1}')).toBe('malformed JSON: colon expected at column 6');
    expect(explainRefusedJson('{"a":1 {"b":2}}')).toBe(
      'malformed JSON: comma expected at column 8',
    );
    expect(explainRefusedJson('{"a":{"b":1}')).toBe(
      'malformed JSON: close brace expected at column 13',
    );
  });
});
