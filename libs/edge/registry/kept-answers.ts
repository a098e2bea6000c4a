import { createHash } from 'node:crypto';
import type { WarehouseQuery } from '@app/warehouse';

/** A longer answer is not kept. */
export const ANSWER_BYTES = 64 * 1024;
const ALL_BYTES = 32 * 1024 ** 2;
/** An entry takes so many bytes beside its statement and its answer. */
const ENTRY_BYTES = 200;

/**
 * A cache of small answers. Its keys name the state of the tables: a changed copy is in another
 * database, and changed files have other stamps. So no entry is ever out of date. The entries that
 * were used last are kept.
 */
export class KeptAnswers {
  private readonly kept = new Map<string, Buffer>();
  private bytes = 0;

  constructor(private readonly most = ALL_BYTES) {}

  /**
   * @param files that the tables are read from, as they are now
   * @returns bytes that nobody may change
   */
  get(query: WarehouseQuery, files: string): Buffer | undefined {
    const key = keyOf(query, files);
    const answer = this.kept.get(key);
    if (answer) {
      this.kept.delete(key);
      this.kept.set(key, answer);
    }
    return answer;
  }

  set(query: WarehouseQuery, files: string, answer: Buffer): void {
    const key = keyOf(query, files);
    this.forget(key);
    if (sizeOf(key, answer) > ANSWER_BYTES) return;
    this.kept.set(key, answer);
    this.bytes += sizeOf(key, answer);
    for (const oldest of this.kept.keys()) {
      if (this.bytes <= this.most) break;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    const answer = this.kept.get(key);
    if (!answer) return;
    this.kept.delete(key);
    this.bytes -= sizeOf(key, answer);
  }
}

/** Tells whether an answer is small enough, if its statement is short. */
export const mayBeKept = (answer: Buffer): boolean => answer.length <= ANSWER_BYTES;

const BYTES_A_CHARACTER = 2;

const sizeOf = (key: string, answer: Buffer): number =>
  ENTRY_BYTES + key.length * BYTES_A_CHARACTER + answer.length;

const keyOf = (
  { database, format, settings, params, sql }: WarehouseQuery,
  files: string,
): string => JSON.stringify([database, format, settings, params, sql, hash(files)]);

/** The names of the files may be longer than the answer. */
const hash = (text: string): string => createHash('sha256').update(text).digest('base64');
