import { readElement, readEngineType } from '@app/query';
import {
  quoteIdentifier,
  quoteText,
  WarehouseError,
  type Column,
  type SourceEngine,
} from '@app/warehouse';
import { settingsClause, type Source } from '../../sources/source.js';
import { withLeaves } from './leaves.js';
import { mayQuoteNumbers, unquoted } from './quoted-numbers.js';
import { BROKEN, TEXT } from './written-values.js';

const OBJECTS_IN_LISTS = /\bArray\((?:Nullable\()?Tuple\(/;
const NO_NUMBER = /^(?:String|Dynamic|Nothing)\b/;
/** The engine limits the length of a statement. */
const TESTS_MAX = 300;

interface RawLeaf {
  readonly type: string;
  /** SQL that is true where one of the values begins with a quote. */
  readonly isQuoted: string;
}

/**
 * Makes texts of numbers within lists of objects, where some of them are written in quotes. The
 * engine takes `[{"n": 3}, {"n": "3"}]` for two numbers, so the lists are read as they are written.
 */
export async function withQuotedTexts(
  columns: readonly Column[],
  source: Source,
  statements: SourceEngine['statements'],
): Promise<readonly Column[]> {
  const doubtful = columns.filter(({ type }) => OBJECTS_IN_LISTS.test(type));
  if (doubtful.length === 0 || !(await mayQuoteNumbers(doubtful, source, statements)))
    return columns;
  const tests = doubtful.flatMap(({ name, type }) =>
    rawLeaves(`ifNull(${quoteIdentifier(name)}, '')`, type).flatMap((leaf, at) =>
      NO_NUMBER.test(leaf.type) ? [] : [{ name, at, isQuoted: leaf.isQuoted }],
    ),
  );
  const call = source.call(doubtful.map(({ name }) => ({ name, type: TEXT })));
  const quoted = new Set<string>();
  for (let from = 0; from < tests.length; from += TESTS_MAX) {
    const some = tests.slice(from, from + TESTS_MAX);
    const asked = some.map(({ isQuoted }) => `max(ifNull(${isQuoted}, 0))`).join(', ');
    const sql = `SELECT ${asked} FROM ${call}${settingsClause(source.settings)} FORMAT JSONCompactEachRow`;
    const answer = await statements.run(sql).catch((error: unknown) => {
      // A row that is broken reports itself when it is read.
      if (error instanceof WarehouseError && BROKEN.test(error.type)) return '[]';
      throw error;
    });
    for (const [index, isQuoted] of (JSON.parse(answer) as readonly number[]).entries())
      if (isQuoted === 1) quoted.add(keyOf(some[index]));
  }
  return columns.map(({ name, type }) => ({
    name,
    type: withLeaves(type, (at) => (quoted.has(keyOf({ name, at })) ? TEXT : undefined)),
  }));
}

const keyOf = (leaf: { readonly name: string; readonly at: number } | undefined): string =>
  `${leaf?.at} ${leaf?.name}`;

/** The single values within a text of JSON, in the order of {@link withLeaves}. */
function rawLeaves(value: string, type: string, depth = 0): readonly RawLeaf[] {
  const { name, parameters } = readEngineType(type);
  const [first = ''] = parameters;
  switch (name) {
    case 'Nullable':
      return rawLeaves(value, first, depth);
    case 'Tuple':
      return parameters.flatMap((parameter) => {
        const element = readElement(parameter);
        const key = quoteText(unquoted(element.name.trim()));
        return rawLeaves(`JSONExtractRaw(${value}, ${key})`, element.type, depth);
      });
    case 'Array': {
      const each = `e${depth}`;
      return rawLeaves(each, first, depth + 1).map((leaf) => ({
        ...leaf,
        isQuoted: `arrayExists(${each} -> ${leaf.isQuoted}, JSONExtractArrayRaw(${value}))`,
      }));
    }
    default:
      return [{ type, isQuoted: `startsWith(${value}, '"')` }];
  }
}
