import { conditionOf, pieceFor } from './condition.js';

const FIELDS = [
  { name: 'status', type: 'Int64' },
  { name: 'path', type: 'Utf8' },
  { name: 'ok', type: 'Boolean' },
  { name: 'user', type: 'Struct' },
  { name: 'user.name', type: 'Utf8' },
  { name: 'error.kind', type: 'Utf8' },
  { name: 'odd name', type: 'Utf8' },
];

it.each([
  ['', ''],
  ['  ', ''],
  ['an error', "match_all('an error')"],
  ['status=500', 'status = 500'],
  ['status>=500 timeout', "status >= 500 AND match_all('timeout')"],
  ['status!=500', '(status != 500 OR status IS NULL)'],
  ['status=null path!=null', 'status IS NULL AND path IS NOT NULL'],
  ['path="/a b"', "path = '/a b'"],
  ['path=null2 ok=true', "path = 'null2' AND ok = true"],
  ['path="it\'s \\"so\\" \\\\"', "path = 'it''s \"so\" \\\\'"],
  ['user.name=ann error.kind=x', "user.name = 'ann' AND `error.kind` = 'x'"],
  ['`odd name`=1', "`odd name` = '1'"],
  // The stream has no such field, so these are words.
  ['nope=1', "match_all('nope=1')"],
  ["O'Brien", "match_all('O''Brien')"],
  ['"two words" and', "match_all('two words and')"],
  ['status=', "match_all('status=')"],
  ['"', "match_all('\"')"],
])('%j is the condition %j', (typed, condition) => {
  expect(conditionOf(typed, FIELDS)).toBe(condition);
});

it.each([
  ['path', '/a "b" \\ c', 'path = \'/a "b" \\\\ c\''],
  ['status', '500', 'status = 500'],
  ['odd name', "it's", "`odd name` = 'it''s'"],
  ['path', 'null', "path = 'null'"],
])('a value of %j that is clicked, %j, is looked for as it is', (name, value, condition) => {
  expect(conditionOf(`before ${pieceFor(name, '=', value)}`, FIELDS)).toBe(
    `${condition} AND match_all('before')`,
  );
});
