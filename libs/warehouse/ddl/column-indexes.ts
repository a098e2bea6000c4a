import { createHash } from 'node:crypto';
import { quoteIdentifier } from './identifier.js';
import type { Indexed } from '../warehouse.js';

/** The purpose of an index of ours: single values, or words of a full-text search. */
export type IndexKind = 'partition_key' | 'full_text';

export interface TypedIndex {
  readonly indexed: Indexed;
  /** The type of what is indexed. */
  readonly type: string;
}

/** SQL of what is indexed. */
const sqlOf = (indexed: Indexed): string =>
  typeof indexed === 'string' ? quoteIdentifier(indexed) : indexed.sql;

/** All names have one length, however the column is called, because the engine keeps an index in a file of its name. */
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

/** The engine makes no bloom filter of these; the least and the most of each granule it always has. */
const UNFILTERED = /^Nullable\((?:Date32|Decimal\(|Time64\()/;

/** Tells whether single values of a type have another kind of index than those of most types. */
export const isUnfiltered = (type: string): boolean => UNFILTERED.test(type);

/** SQL: an index's expression, type and granularity. @param type of what is indexed */
export function indexType(kind: IndexKind, indexed: Indexed, type: string): string {
  const sql = sqlOf(indexed);
  if (kind === 'full_text') return `${searchedIn(sql)} TYPE text(tokenizer = 'splitByNonAlpha')`;
  return `${sql} TYPE ${isUnfiltered(type) ? 'minmax' : 'bloom_filter'} GRANULARITY 1`;
}
