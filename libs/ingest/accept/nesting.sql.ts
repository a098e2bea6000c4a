import type { Column } from '@app/warehouse';

/**
 * Levels of arrays and objects that a record may have, itself the first. The type of a nested
 * array names all its levels, and the engine reads a type of about 150 back no more: such a batch
 * could be made, and never be inserted.
 */
export const NESTING_MAX = 100;

/** Whether columns take values that are nested at all. */
export const canNest = (columns: readonly Column[]): boolean =>
  columns.some(({ type }) => type.includes('JSON') || type.includes('Dynamic'));

/** SQL: whether a line might be nested too deep. Cheap: it has not that many brackets otherwise. */
export const mayBeTooDeep = (line: string): string =>
  `countSubstrings(${line}, '[') + countSubstrings(${line}, '{') > ${NESTING_MAX}`;

/** SQL: whether a line, JSON as it is, is nested too deep. */
export const isTooDeep = (line: string): string =>
  `if(${mayBeTooDeep(line)}, arrayMax(arrayCumSum(bracket -> if(bracket IN ('[', '{'), 1, -1),` +
  ` extractAll(replaceRegexpAll(${line}, '"(?:[^"\\\\\\\\]|\\\\\\\\.)*"', ''), '[\\\\[\\\\]{}]'))) > ${NESTING_MAX}, 0)`;
