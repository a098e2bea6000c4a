import type { QueryLimits, WarehouseQuery } from '../warehouse.js';

type ResultLimits = Pick<QueryLimits, 'resultRows' | 'resultBytes'>;

/** An answer with at most so many bytes is small. */
const SMALL_BYTES = 64 * 1024;
const ROWS_MAX = 10_000;
const BYTES_MAX = 1024 * 1024;
const STATEMENTS_MAX = 2000;
/** Longer statements are not remembered. */
const STATEMENT_LENGTH_MAX = 2000;

/**
 * Statements whose last answer was small, and the next one probably too, so it need not be
 * streamed. Those that were used last are kept.
 */
export class SmallAnswers {
  /**
   * The limits of the next answer: rows and bytes as the engine holds them. A larger answer is
   * requested again as a stream, so the limits are far above a small answer.
   */
  static within({ resultRows, resultBytes }: QueryLimits): ResultLimits {
    return { resultRows: lower(resultRows, ROWS_MAX), resultBytes: lower(resultBytes, BYTES_MAX) };
  }

  private readonly statements = new Set<string>();

  has(query: WarehouseQuery): boolean {
    const key = keyOf(query);
    if (!this.statements.delete(key)) return false;
    this.statements.add(key);
    return true;
  }

  /** @param bytes of a complete answer. */
  learn(query: WarehouseQuery, bytes: number): void {
    const key = keyOf(query);
    this.statements.delete(key);
    if (bytes > SMALL_BYTES || key.length > STATEMENT_LENGTH_MAX) return;
    this.statements.add(key);
    for (const oldest of this.statements) {
      if (this.statements.size <= STATEMENTS_MAX) break;
      this.statements.delete(oldest);
    }
  }

  forget(query: WarehouseQuery): void {
    this.statements.delete(keyOf(query));
  }
}

/** 0 means no limit. */
const lower = (limit: number, most: number): number => (limit === 0 ? most : Math.min(limit, most));

const keyOf = ({ sql, database = '' }: WarehouseQuery): string => `${database}\0${sql}`;
