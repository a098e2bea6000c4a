import { processorMs } from '../../../../test/processor-time.js';
import { SessionFunctions } from './functions-without-brackets.js';

const COUNT = 4000;
const many = (indent: number, line: (at: number) => string): readonly string[] =>
  Array.from({ length: COUNT }, (_, at) => ' '.repeat(indent) + line(at));
const listOf = (indent: number, name: string): readonly string[] =>
  [`FUNCTION id: 1, ${name}, function_type: ordinary`, ' ARGUMENTS', '  LIST id: 1'].map(
    (line) => ' '.repeat(indent) + line,
  );
const PEOPLE = 'IDENTIFIER id: 1, identifier: people';
const JOIN = [
  '  JOIN id: 1',
  '   LEFT TABLE EXPRESSION',
  `    ${PEOPLE}`,
  '   RIGHT TABLE EXPRESSION',
  '    IDENTIFIER id: 1, identifier: t',
  '   JOIN EXPRESSION',
  ...listOf(4, 'function_name: and'),
  ...many(7, (at) => `IDENTIFIER id: 1, identifier: c${at}`),
];
const ALIASED = many(5, (at) => `IDENTIFIER id: 1, alias: a${at}, identifier: database`);
const NAMED = [
  ...listOf(5, 'alias: database, function_name: tuple'),
  ...many(8, (at) => `IDENTIFIER id: 1, identifier: c${at}`),
  ...many(5, () => 'IDENTIFIER id: 1, identifier: database'),
];

describe('a statement with many names of session functions', () => {
  it.each([
    ['of columns with aliases', [`  ${PEOPLE}`], ALIASED],
    ['beside a join with much to look at', JOIN, ALIASED],
    ['that are an alias of much', [`  ${PEOPLE}`], NAMED],
  ])('is judged quickly: %s', (_, from, uses) => {
    const print = ['QUERY id: 0', ' JOIN TREE', ...from, ' WHERE', ...listOf(2, 'function_name: or'), ...uses]; // prettier-ignore
    const begun = processorMs();
    const found = SessionFunctions.in(print.join('\n'), '', new Set());
    expect(found?.first((table) => table === 'people')).toBeUndefined();
    expect(found?.first(() => false)).toBe(uses === NAMED ? undefined : 'database');
    expect(processorMs() - begun).toBeLessThan(2000);
  });
});
