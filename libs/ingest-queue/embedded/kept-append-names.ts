import type { Database, RootDatabase } from 'lmdb';
import { NAMES_KEPT_MS, type KeptAppend, type NamedAppend } from '../ingest-queue.js';
import { isSameAppend } from '../same-append.js';

interface StoredName {
  readonly fingerprint: string;
  readonly answer: string;
  readonly partition: number;
  /** It is absent when the append had no records. */
  readonly offset?: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * This many old names are deleted for each new one. It is more than one, so that old names never
 * accumulate.
 */
const FORGOTTEN_AT_ONCE = 10;

/** Names of appends, in the queue's own environment, with an index by age. */
export class AppendNames {
  private readonly names: Database<StoredName, string>;
  private readonly ages: Database<number, [number, string]>;

  constructor(
    environment: RootDatabase,
    private readonly now: () => number,
  ) {
    this.names = environment.openDB({ name: 'names', encoding: 'json' });
    this.ages = environment.openDB({ name: 'ages', encoding: 'ordered-binary' });
  }

  find(name: string): KeptAppend | undefined {
    const stored = this.names.get(name);
    if (!stored || stored.at <= this.now() - NAMES_KEPT_MS) return undefined;
    const { fingerprint, answer, partition, offset } = stored;
    const position = offset === undefined ? undefined : { partition, offset: BigInt(offset) };
    return { name, fingerprint, answer, position };
  }

  /** Finds an earlier append under this name, or under a name that it renews. */
  before({ name, renews = [] }: NamedAppend): KeptAppend | undefined {
    for (const each of renews) {
      const kept = this.find(each.name);
      if (kept && !isSameAppend(kept, each)) return kept;
    }
    return this.find(name);
  }

  /** Stores a name. The caller is within a write transaction. */
  keep({ name, fingerprint, answer, position }: KeptAppend): void {
    const at = this.now();
    this.forgetOld(at - NAMES_KEPT_MS);
    this.names.putSync(name, {
      fingerprint,
      answer,
      partition: position?.partition ?? 0,
      ...(position ? { offset: Number(position.offset) } : {}),
      at,
    });
    this.ages.putSync([at, name], 1);
  }

  private forgetOld(until: number): void {
    const old = [...this.ages.getKeys({ end: [until + 1, ''], limit: FORGOTTEN_AT_ONCE })];
    for (const key of old) {
      const [at, name] = key;
      if (this.names.get(name)?.at === at) this.names.removeSync(name);
      this.ages.removeSync(key);
    }
  }
}
