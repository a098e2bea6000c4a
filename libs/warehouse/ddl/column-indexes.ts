import { createHash } from 'node:crypto';
import { quoteIdentifier } from './identifier.js';
import type { Indexed } from '../warehouse.js';

/** The purpose of an index: single values, or words for full-text search. */
export type IndexKind = 'partition_key' | 'full_text';

export interface TypedIndex {
  readonly indexed: Indexed;
  /** The type of the indexed expression. */
  readonly type: string;
}

/** The SQL of the indexed expression. */
const sqlOf = (indexed: Indexed): string =>
  typeof indexed === 'string' ? quoteIdentifier(indexed) : indexed.sql;

/**
 * All names have one length, whatever the column's name, because the engine stores an index in a
 * file with its name.
 */
export const indexName = (kind: IndexKind, indexed: Indexed): string => {
  const of = typeof indexed === 'string' ? indexed : indexed.sql;
  return `${kind}_${createHash('sha256').update(of).digest('hex').slice(0, 32)}`;
};

/**
 * The expression that a full-text search compares: the text in lower case, and an empty text for
 * null. The index has the same expression.
 */
export const searchedText = (column: string): string => searchedIn(quoteIdentifier(column));

const searchedIn = (sql: string): string => `lowerUTF8(ifNull(${sql}, ''))`;

/**
 * The engine cannot make a bloom filter for these types. For them, it always has the minimum and
 * maximum of each granule.
 */
const UNFILTERED = /^Nullable\((?:Date32|Decimal\(|Time64\()/;

/** Tells whether single values of a type have another kind of index than those of most types. */
export const isUnfiltered = (type: string): boolean => UNFILTERED.test(type);

/** SQL of an index's expression, type and granularity. @param type of the indexed expression */
export function indexType(kind: IndexKind, indexed: Indexed, type: string): string {
  const sql = sqlOf(indexed);
  if (kind === 'full_text') return `${searchedIn(sql)} TYPE text(tokenizer = 'splitByNonAlpha')`;
  return `${sql} TYPE ${isUnfiltered(type) ? 'minmax' : 'bloom_filter'} GRANULARITY 1`;
}
