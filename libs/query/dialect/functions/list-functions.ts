import { MillraceError } from '@app/platform';
import { quoteText } from '@app/warehouse';
import { exactOfUnknown } from '../numbers/exact-sums.js';
import { fn, one, truth, two, written as textArgument, type ScalarFunction } from './scalar-function.js'; // prettier-ignore

const INDEX_OF = fn(2, 2, (list, x) => `nullIf(indexOf(${list}, ${x}), 0)`);
const ALL_INDEXES = fn(
  2,
  2,
  (list, x) =>
    `arrayFilter(_place -> _place > 0, arrayMap((_each, _place) -> if(_each = ${x}, _place, 0), ${list}, arrayEnumerate(${list})))`,
);
const CONSTANT = /^(?:-?\d[\d.]*|'(?:[^'\\]|\\.)*')$/s;
/** The engine finds a null among the values; in the standard it is unknown if the null is one of them. */
const HAS = fn(2, 2, (list, x) => {
  const has = truth(`has(${list}, ${x})`);
  return CONSTANT.test(x) ? has : `if(isNull(${x}), NULL, ${has})`;
});
const HAS_ALL = fn(2, 2, (x, y) => truth(`hasAll(${x}, ${y})`));
const HAS_ANY = fn(2, 2, (x, y) => truth(`hasAny(${x}, ${y})`));
/** The length of a list, or of the lists within it: `array_length(x, 2)`. */
const LENGTH = fn(1, 2, (list, dimension = '1') => {
  if (dimension === '1') return `length(${list})`;
  if (dimension === '2') return `length(arrayElement(${list}, 1))`;
  throw new MillraceError('INVALID_SQL', `the second argument of array_length is 1, or 2 for the lists within a list, not ${dimension.slice(0, 40)}`); // prettier-ignore
});
const APPEND = two('arrayPushBack');
const CONCAT = fn(1, 64, (...lists) => `arrayConcat(${lists.join(', ')})`);
const ELEMENT = two('arrayElement');
/** Other systems have the lambda last, and the engine has it first. */
const MAP = fn(2, 2, (list, f) => `arrayMap(${f}, ${list})`);
const FILTER = fn(2, 2, (list, f) => `arrayFilter(${f}, ${list})`);

/**
 * Places count from 1, or from the end if they are negative, and both ends are included. Places
 * beyond the list are ignored.
 */
function slice(list: string, from: string, to: string): string {
  const [first, last] = [Number(from), Number(to)];
  if (from !== '' && to !== '' && Number.isInteger(first) && Number.isInteger(last)) {
    const begin = Math.max(first, 1);
    if (first >= 0 && last >= 0)
      return `arraySlice(${list}, ${begin}, ${Math.max(last - begin + 1, 0)})`;
    if (first >= 0 && last === -1) return `arraySlice(${list}, ${begin})`;
    if (first >= 0) return `arraySlice(${list}, ${begin}, ${last + 1})`;
  }
  const size = `length(${list})`;
  const place = (at: string): string => `if((${at}) < 0, toInt64(${size}) + (${at}) + 1, ${at})`;
  const begin = `greatest(${place(from)}, 1)`;
  const count = `${place(to)} - ${begin} + 1`;
  // In the engine, the greatest of a null and a number is the number. So a null is handled apart: the
  // slice is empty then, because a list cannot be null.
  const known = Number.isInteger(first) ? count : `if(isNull(${from}), 0, ${count})`;
  return `arraySlice(${list}, ${begin}, greatest(${known}, 0))`;
}

const SLICE = fn(2, 3, (list, from, to = '-1') => slice(list, from, to));
const JOIN = two('arrayStringConcat');

const DIRECTION = /^(?:asc|desc)$/i;
const NULLS = /^nulls (?:first|last)$/i;

/** @throws {MillraceError} INVALID_SQL for a text that is no order */
function orderOf(name: string, argument: string, wanted: RegExp, examples: string): string {
  const text = textArgument(name, argument).trim();
  if (wanted.test(text)) return text.toLowerCase();
  throw new MillraceError('INVALID_SQL', `${name} wants ${examples} there, not ${quoteText(text.slice(0, 40))}`); // prettier-ignore
}

/** Nulls are last in both orders of the engine. */
function sorted(list: string, isDescending: boolean, nulls: string): string {
  if (!nulls.endsWith('first')) return `${isDescending ? 'arrayReverseSort' : 'arraySort'}(${list})`; // prettier-ignore
  return `arrayReverse(${isDescending ? 'arraySort' : 'arrayReverseSort'}(${list}))`;
}

const SORT = fn(1, 3, (list, direction = "'asc'", nulls = "'nulls last'") =>
  sorted(
    list,
    orderOf('list_sort', direction, DIRECTION, "'ASC' or 'DESC'") === 'desc',
    orderOf('list_sort', nulls, NULLS, "'NULLS FIRST' or 'NULLS LAST'"),
  ),
);
const REVERSE_SORT = fn(1, 2, (list, nulls = "'nulls last'") =>
  sorted(list, true, orderOf('list_reverse_sort', nulls, NULLS, "'NULLS FIRST' or 'NULLS LAST'")),
);

/** The engine has no type for the elements of an empty list literal. */
const ofNothing = (list: string): boolean => /^\[\s*\]$/.test(list);

/** An aggregate over a list's values: nulls are skipped, and without values the result is null. */
const aggregate = (write: (list: string) => string): ScalarFunction =>
  fn(1, 1, (list) => (ofNothing(list) ? 'NULL' : write(list)));
const reduced = (name: string): ScalarFunction =>
  aggregate((list) => `arrayReduce('${name}OrNull', ${list})`);
const FIRST = aggregate((list) => `arrayElement(${list}, 1)`);
const LAST = aggregate((list) => `arrayElement(${list}, -1)`);
const MAX = reduced('max');
const MIN = reduced('min');
/**
 * A sum of integers that overflows differs from the sum in more bits, and is an error: see
 * `exact-sums.ts`.
 */
const SUM = aggregate((list) => {
  const sum = `arrayReduce('sumOrNull', ${list})`;
  const wide = `arrayReduce('sumOrNull', arrayMap(_each -> multiply(_each, toDecimal256(1, 0)), ${list}))`;
  const isOther = `ifNull(${sum} < ${wide} OR ${sum} > ${wide}, 0)`;
  return `(${sum} + accurateCast(if(${isOther}, toInt128(256), toInt128(0)), 'UInt8'))`;
});
/** The engine's average of integers uses a sum that overflows. */
const AVERAGE = aggregate((list) =>
  exactOfUnknown(
    'avg',
    (as) => `arrayReduce('${as}OrNull', ${list})`,
    (as) => `arrayReduce('${as}OrNull', arrayMap(_each -> toFloat64(_each), ${list}))`,
  ),
);
/** The product is a float, as in DuckDB. The engine's product of integers would overflow. */
const PRODUCT = aggregate((list) => {
  const known = `arrayFilter(_each -> isNotNull(_each), ${list})`;
  return `if(empty(${known}), NULL, arrayProduct(arrayPushBack(arrayMap(_each -> toFloat64(assumeNotNull(_each)), ${known}), toFloat64(1))))`;
});
const COUNT = fn(1, 1, (list) => `arrayCount(_each -> isNotNull(_each), ${list})`);
const TRUTHS = (name: string): ScalarFunction =>
  aggregate((list) => truth(`arrayReduce('${name}OrNull', ${list})`));
/** `list_aggregate(x, 'sum')` is `list_sum(x)`. */
const AGGREGATE = fn(2, 3, (list, given, separator) => {
  const name = textArgument('list_aggregate', given).toLowerCase();
  if (name === 'string_agg') return `arrayStringConcat(${list}, ${separator ?? "','"})`;
  const own = Object.hasOwn(AGGREGATES, name) ? AGGREGATES[name] : undefined;
  if (own && separator === undefined) return own.write(list);
  throw new MillraceError('INVALID_SQL', `list_aggregate knows ${Object.keys(AGGREGATES).join(', ')} and string_agg; arrayReduce('quantile(0.9)', list) takes others`); // prettier-ignore
});
const AGGREGATES: Readonly<Record<string, ScalarFunction>> = {
  sum: SUM,
  min: MIN,
  max: MAX,
  avg: AVERAGE,
  count: COUNT,
  product: PRODUCT,
  first: FIRST,
  last: LAST,
  bool_and: TRUTHS('min'),
  bool_or: TRUTHS('max'),
};

/** Functions of lists, by name in lower case. */
export const LIST_FUNCTIONS: Readonly<Record<string, ScalarFunction>> = {
  len: LENGTH,
  array_length: LENGTH,
  list_length: LENGTH,
  cardinality: LENGTH,
  list_value: fn(0, 256, (...items) => `[${items.join(', ')}]`),
  list_pack: fn(0, 256, (...items) => `[${items.join(', ')}]`),
  make_array: fn(0, 256, (...items) => `[${items.join(', ')}]`),
  array_has: HAS,
  array_contains: HAS,
  list_contains: HAS,
  list_has: HAS,
  array_has_all: HAS_ALL,
  list_has_all: HAS_ALL,
  array_has_any: HAS_ANY,
  list_has_any: HAS_ANY,
  arrays_overlap: HAS_ANY,
  array_position: INDEX_OF,
  list_position: INDEX_OF,
  list_indexof: INDEX_OF,
  array_indexof: INDEX_OF,
  array_positions: ALL_INDEXES,
  array_append: APPEND,
  list_append: APPEND,
  array_push_back: APPEND,
  array_prepend: fn(2, 2, (x, list) => `arrayPushFront(${list}, ${x})`),
  list_prepend: fn(2, 2, (x, list) => `arrayPushFront(${list}, ${x})`),
  array_push_front: fn(2, 2, (list, x) => `arrayPushFront(${list}, ${x})`),
  array_pop_back: one('arrayPopBack'),
  array_pop_front: one('arrayPopFront'),
  array_cat: CONCAT,
  array_concat: CONCAT,
  list_concat: CONCAT,
  list_cat: CONCAT,
  array_distinct: one('arrayDistinct'),
  list_distinct: one('arrayDistinct'),
  list_unique: fn(1, 1, (list) => `length(arrayDistinct(${list}))`),
  array_unique: fn(1, 1, (list) => `length(arrayDistinct(${list}))`),
  array_sort: SORT,
  list_sort: SORT,
  array_reverse_sort: REVERSE_SORT,
  list_reverse_sort: REVERSE_SORT,
  array_reverse: one('arrayReverse'),
  list_reverse: one('arrayReverse'),
  array_slice: SLICE,
  list_slice: SLICE,
  list_max: MAX,
  list_min: MIN,
  list_sum: SUM,
  list_avg: AVERAGE,
  list_product: PRODUCT,
  array_max: MAX,
  array_min: MIN,
  array_sum: SUM,
  list_count: COUNT,
  list_bool_and: TRUTHS('min'),
  list_bool_or: TRUTHS('max'),
  list_first: FIRST,
  list_last: LAST,
  list_aggregate: AGGREGATE,
  list_aggr: AGGREGATE,
  array_aggregate: AGGREGATE,
  array_aggr: AGGREGATE,
  array_element: ELEMENT,
  array_extract: ELEMENT,
  list_element: ELEMENT,
  list_extract: ELEMENT,
  array_intersect: two('arrayIntersect'),
  list_intersect: two('arrayIntersect'),
  array_union: fn(2, 2, (x, y) => `arrayDistinct(arrayConcat(${x}, ${y}))`),
  array_except: two('arrayExcept'),
  array_remove_all: fn(2, 2, (list, x) => `arrayFilter(_each -> _each != ${x}, ${list})`),
  array_join: JOIN,
  // These functions are OpenObserve's.
  arrjoin: JOIN,
  arrcount: LENGTH,
  arrsort: one('arraySort'),
  arr_descending: one('arrayReverseSort'),
  array_resize: fn(2, 3, (...args) => `arrayResize(${args.join(', ')})`),
  list_resize: fn(2, 3, (...args) => `arrayResize(${args.join(', ')})`),
  array_repeat: fn(2, 2, (x, n) => `arrayWithConstant(${n}, ${x})`),
  list_zip: fn(2, 16, (...lists) => `arrayZip(${lists.join(', ')})`),
  array_zip: fn(2, 16, (...lists) => `arrayZip(${lists.join(', ')})`),
  list_transform: MAP,
  list_apply: MAP,
  array_transform: MAP,
  array_apply: MAP,
  list_filter: FILTER,
  array_filter: FILTER,
  element_at: ELEMENT,
  // With two lists it is the function of DuckDB and Spark. The engine's function takes keys and
  // values alternately.
  map: fn(0, 1000, (...args) => {
    const isOfLists = args.length === 2 && args.every((each) => each.startsWith('['));
    return `${isOfLists ? 'mapFromArrays' : 'map'}(${args.join(', ')})`;
  }),
};
