import { explainRefusedJson } from './explain-refused-json.js';

describe('explaining a record that is no JSON', () => {
  it.each([
    ['{"a":1}{"a":2}', 'end of file expected at column 8; each record wants a line of its own'],
    ['{\u201ca\u201d:1}', 'invalid symbol at column 2; \u201c is a curly quote'],
    ["{'a':1}", 'invalid symbol at column 2; JSON has double quotes'],
    ['{"a":NaN}', 'invalid symbol at column 6; JSON has no NaN and no infinity: send null'],
    ['{"a":[1,-Infinity]}', 'invalid symbol at column 9; JSON has no NaN and no infinity'],
    ['{"a":None}', 'invalid symbol at column 6; the value that is none is null in JSON'],
    ['{"a":True}', 'invalid symbol at column 6; JSON has true and false in small letters'],
    ['{"a":+5}', 'invalid symbol at column 6; a number in JSON has no +'],
    ['{"a":-.5}', 'invalid symbol at column 6; a number in JSON begins with a digit'],
    ['{a:1}', 'invalid symbol at column 2; names in JSON stand in double quotes'],
    ['{"a":1, }', 'property name expected at column 9; JSON has no comma before }'],
    ['{"a":[1,]}', 'value expected at column 9; JSON has no comma before ]'],
    ['name=x&msg=hello+%25s&args=%28', 'invalid symbol at column 1; the body is a form'],
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
