import { fieldsOf } from './json-trees.js';
import { KeptValues } from './kept-values.js';

const changed = (sent: string, read: string, others: readonly string[] = []): boolean => {
  const record = fieldsOf(sent);
  const kept = new KeptValues();
  for (const each of [record, ...others.map(fieldsOf)]) kept.learn(each);
  return kept.changed(record, fieldsOf(read), new Set(['v', 'o'])) !== undefined;
};

describe('the comparison of what was sent and what was read back', () => {
  it.each([
    ['{"v":1.0}', '{"v":1}'],
    ['{"v":1e19}', '{"v":10000000000000000000}'],
    ['{"v":9007199254740993.0}', '{"v":9007199254740992}'],
    ['{"v":null,"o":null}', '{"v":[],"o":null}'],
    ['{"new":[null]}', '{"v":null}'],
    ['{"o":{"b":[1,null],"a":null,"c":{"d":{}}}}', '{"o":{"b":[1,null]}}'],
    ['{"v":"\\u0041\\ud83d\\ude00"}', '{"v":"A😀"}'],
  ])('takes %s for the same as %s', (sent, read) => {
    expect(changed(sent, read)).toBe(false);
  });

  it.each([
    ['{"v":9007199254740993}', '{"v":9007199254740992}'],
    ['{"v":0.1}', '{"v":0.10000000000000002}'],
    ['{"v":"1"}', '{"v":1}'],
    ['{"v":1}', '{"v":true}'],
    ['{"v":false}', '{"v":null}'],
    ['{"v":""}', '{"v":null}'],
    ['{"v":[null]}', '{"v":[]}'],
    ['{"v":1}', '{"v":1,"o":{}}'],
    ['{"o":{}}', '{"o":null}'],
    ['{"new":1}', '{"v":null}'],
    ['{}', '{"v":0}'],
    ['{"o":{"a":[{}]}}', '{"o":{"a":[]}}'],
    ['{"o":{"a":[null]}}', '{"o":{"a":[[]]}}'],
    ['{"o":{"a.b":1}}', '{"o":{"a":{"b":1}}}'],
    ['{"o":{"a":[[9007199254740993],[1.5]]}}', '{"o":{"a":[[9007199254740992],[1.5]]}}'],
  ])('does not take %s for the same as %s', (sent, read) => {
    expect(changed(sent, read)).toBe(true);
  });

  it('lets a list within an object be read by the type of one elsewhere', () => {
    const [sent, read] = ['{"o":{"a":[9007199254740993]}}', '{"o":{"a":[9007199254740992]}}'];
    expect(changed(sent, read, ['{"o":{"a":[1.5]}}'])).toBe(false);
    expect(changed(sent, read, ['{"o":{"b":[1.5]}}', '{"o":{"a":[1]}}'])).toBe(true);
    expect(changed('{"o":{"a":[null]}}', '{"o":{"a":[[]]}}', ['{"o":{"a":[[1]]}}'])).toBe(false);
  });
});
