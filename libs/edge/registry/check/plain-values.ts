import { quoteIdentifier, quoteText, WarehouseError, type SourceEngine } from '@app/warehouse';
import { BEGINNING_ROWS } from '../../sources/engine-format.js';
import { settingsClause, type Source } from '../../sources/source.js';
import { MICROSECONDS, PLAIN_TIME } from './doubts.js';
import { leavesOf, withLeaves, type Leaf } from './leaves.js';
import { mayQuoteNumbers } from './quoted-numbers.js';
import { ALL_FIELDS, TEXT, type TypedColumns } from './written-values.js';

/** More are not worth a look of their own. */
const LEAVES_MAX = 300;

/** Numbers that a float holds, without a doubt about how they are written: in CSV the engine takes `1E3` for a text. */
const FLOAT = '^-?(?:0|[1-9][0-9]{0,14})(?:[.][0-9]{1,40})?(?:e[-+]?[0-9]{1,2})?$';
/** Objects without fields, and maps, tell nothing of what may come. */
const NO_VALUES = /\bTuple\(\)|\bMap\(|\bDynamic\b/;
/** In lists the engine makes other types of texts beside values that are none. */
const NO_TEXT = '^(?:[-+0-9.eE]*|true|false|null)$|^[[{]';

/**
 * Tells whether all values of a source are such that there is no doubt about them: looked for in all
 * rows, types would be the same, and they hold each value as it is written. It costs less than to
 * look for values that the engine would change, and says no where it does not know.
 * @param columns with the types that the first rows of each file have
 */
export async function arePlain(
  { columns, notation, folders }: TypedColumns,
  source: Source,
  statements: SourceEngine['statements'],
): Promise<boolean> {
  const own = columns.filter(({ name }) => !folders.has(name));
  const leaves = own.flatMap(({ name, type }) =>
    leavesOf(quoteIdentifier(name), type).map((leaf) => ({ leaf, name, isTop: type === `Nullable(${leaf.type})` })),
  ); // prettier-ignore
  if (leaves.length > LEAVES_MAX || own.some(({ type }) => NO_VALUES.test(type))) return false;
  const text = notation === 'csv' ? 'String' : TEXT;
  const asTexts = columns.map(({ name, type }) => ({
    name,
    type: folders.has(name) ? type : withLeaves(type, () => text),
  }));
  const call = source.call(asTexts);
  try {
    const texts = leaves.filter(({ leaf }) => leaf.type === 'String').map(({ leaf }) => leaf);
    const seen = await seenTexts(texts, { call, notation, source, statements });
    const tests: string[] = [];
    const wanted = new Set<string>();
    for (const { leaf, name, isTop } of leaves) {
      const isText = source.texts?.includes(name) ?? false;
      const test = isText ? '' : oddOf(leaf, { notation, isTop, isSeen: seen.has(leaf) });
      if (test === undefined) return false;
      if (test === '') continue;
      tests.push(test);
      wanted.add(quoteIdentifier(name));
    }
    const isAll = notation === 'json';
    if (isAll) tests.push('ignore(*)');
    if (tests.length === 0) return true;
    const rows = `SELECT ${isAll ? '*' : [...wanted].join(', ')} FROM ${call}`;
    const settings = { ...source.settings, ...(isAll && ALL_FIELDS) };
    const sql = `SELECT 1 FROM (${rows}) WHERE ${tests.join(' OR ')} LIMIT 1${settingsClause(settings)} FORMAT TSVRaw`;
    if ((await statements.run(sql)) !== '') return false;
    return notation === 'csv' || !(await mayQuoteNumbers(own, source, statements));
  } catch (error) {
    // A row that is broken, or a field that is no column: who looks closely says which.
    if (error instanceof WarehouseError) return false;
    throw error;
  }
}

interface Reading {
  /** The table function, with texts for all values. */
  readonly call: string;
  readonly notation: TypedColumns['notation'];
  readonly source: Source;
  readonly statements: SourceEngine['statements'];
}

/** Finds the columns that have a value in the first rows. The other ones are texts because nothing says what they are. */
async function seenTexts(
  texts: readonly Leaf[],
  { call, notation, source, statements }: Reading,
): Promise<ReadonlySet<Leaf>> {
  if (texts.length === 0) return new Set();
  const tests = texts.map((leaf) => `max(${leaf.some((value) => hasValue(value, notation))})`);
  // One thread takes the first rows first.
  const settings = settingsClause({ ...source.settings, max_threads: '1' });
  const sql = `SELECT [${tests.join(', ')}] FROM (SELECT * FROM ${call} LIMIT ${BEGINNING_ROWS})${settings} FORMAT JSONCompactEachRow`;
  const [seen] = JSON.parse(await statements.run(sql)) as readonly [readonly number[]];
  return new Set(texts.filter((_, index) => seen[index] === 1));
}

const hasValue = (value: string, notation: TypedColumns['notation']): string =>
  notation === 'csv' ? `${value} != ''` : `isNotNull(${value})`;

interface Place {
  readonly notation: TypedColumns['notation'];
  /** It is a column of its own, and not within lists or objects. */
  readonly isTop: boolean;
  readonly isSeen: boolean;
}

/** @returns SQL that is true where a value leaves a doubt; '': none does; undefined: nobody knows */
function oddOf(leaf: Leaf, { notation, isTop, isSeen }: Place): string | undefined {
  if (leaf.type === 'String') {
    if (!isSeen) return leaf.some((value) => hasValue(value, notation));
    if (notation === 'csv') return '';
    return leaf.some((value) =>
      isTop
        ? `ifNull(startsWith(${value}, '[') OR startsWith(${value}, '{'), 0)`
        : `ifNull(${match(value, NO_TEXT)}, 0)`,
    );
  }
  const plain = plainOf(leaf.type);
  return (
    plain &&
    leaf.some((value) =>
      notation === 'csv'
        ? `NOT (${plain(value)} OR ${value} = '')`
        : `ifNull(NOT (${plain(value)}), 0)`,
    )
  );
}

function plainOf(type: string): ((value: string) => string) | undefined {
  switch (type) {
    case 'Int64':
      return (value) => `(length(${value}) < 19 AND toString(toInt64OrZero(${value})) = ${value})`;
    case 'Float64':
      return (value) => match(value, FLOAT);
    case 'Bool':
      return (value) => `${value} IN ('true', 'false')`;
    case 'Date32':
      return (value) => `toString(toDate32OrZero(${value})) = ${value}`;
    case MICROSECONDS:
      return (value) => match(value, PLAIN_TIME);
    default:
      return undefined;
  }
}

const match = (value: string, pattern: string): string => `match(${value}, ${quoteText(pattern)})`;
