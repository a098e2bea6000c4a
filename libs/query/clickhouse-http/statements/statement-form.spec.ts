import { takeFormat } from './statement-form.js';

describe("a statement's form", () => {
  it.each([
    ['SELECT 1', 'SELECT 1', undefined],
    ['SELECT 1;', 'SELECT 1', undefined],
    ['SELECT 1 FORMAT JSON', 'SELECT 1 ', 'JSON'],
    ['SELECT 1 format TabSeparated ; -- end', 'SELECT 1  ', 'TabSeparated'],
    [
      'SELECT 1 FORMAT Native SETTINGS max_threads = 1',
      'SELECT 1  SETTINGS max_threads = 1',
      'Native',
    ],
    ['SELECT 1 SETTINGS max_threads = 1 FORMAT CSV', 'SELECT 1 SETTINGS max_threads = 1 ', 'CSV'],
    // Names, texts and what stands within brackets are no clause.
    ["SELECT 'a FORMAT JSON'", "SELECT 'a FORMAT JSON'", undefined],
    ['SELECT "FORMAT" FROM t', 'SELECT "FORMAT" FROM t', undefined],
    ['SELECT * FROM (SELECT 1 FORMAT JSON)', 'SELECT * FROM (SELECT 1 FORMAT JSON)', undefined],
    ['SELECT format FROM t WHERE format = 1', 'SELECT format FROM t WHERE format = 1', undefined],
    ['SELECT 1 -- FORMAT JSON', 'SELECT 1 -- FORMAT JSON', undefined],
  ])('%s', (statement, text, name) => {
    const taken = takeFormat(statement);
    expect([taken.text, taken.format?.name]).toEqual([text, name]);
  });

  it.each([
    'Template',
    'Nope',
    'toString',
    '__proto__',
    'CustomSeparated',
    'Protobuf',
    'CapnProto',
  ])('writes no %s', (name) => {
    expect(() => takeFormat(`SELECT 1 FORMAT ${name}`)).toThrow(/is not written here/);
  });
});
