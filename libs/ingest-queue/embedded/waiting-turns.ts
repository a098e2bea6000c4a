import { certain } from '@app/platform';

/**
 * The keys that one turn may have. The writer needs an insert for each, about 40 ms, and everybody
 * else waits meanwhile.
 */
const KEYS_MAX = 32;

interface WaitingKey {
  readonly owner: string | undefined;
  /** Ascending. */
  readonly offsets: number[];
}

/** The key of a record, and its owner. */
interface Kept {
  readonly key: string;
  readonly owner?: string;
}

/**
 * The offsets of the records that wait, and whose turn is next: owners take turns, and so do the
 * keys of an owner that has many; those of few keys come in the order of their offsets. Records of
 * one key keep their order, also when their owner becomes another one. A record takes 8 bytes of
 * memory.
 */
export class WaitingTurns {
  private readonly keys = new Map<string, WaitingKey>();
  /** The keys of each owner. The first owner is next, with its first keys. */
  private readonly owners = new Map<string | undefined, Set<string>>();

  /** Adds a record behind all others of its key. */
  add({ key, owner }: Kept, offset: number): void {
    const known = this.keys.get(key);
    if (known) {
      known.offsets.push(offset);
      return;
    }
    this.keys.set(key, { owner, offsets: [offset] });
    const keys = this.owners.get(owner) ?? new Set();
    this.owners.set(owner, keys.add(key));
  }

  /** The offset of the oldest record of a key. */
  first(key: string): number | undefined {
    return this.keys.get(key)?.offsets[0];
  }

  /**
   * The offsets of the next turn; none if nothing waits. After the owner whose turn it is come those
   * for all of whose records there is room beside: inserts of few records cost least together.
   */
  next(most: number): readonly number[] {
    const turn: number[] = [];
    let left = KEYS_MAX;
    for (const keys of this.owners.values()) {
      const room = most - turn.length;
      if (left === 0 || room === 0) break;
      if (turn.length > 0 && (keys.size > left || this.count(keys) > room)) continue;
      turn.push(...this.lowest(keys, left, room));
      left -= Math.min(left, keys.size);
    }
    return turn;
  }

  /** Ends a turn: of these keys, all records up to these offsets are done. */
  done(lastOfKeys: ReadonlyMap<string, number>): void {
    for (const [key, last] of lastOfKeys) {
      const { owner, offsets } = this.of(key);
      const left = offsets.findIndex((offset) => offset > last);
      offsets.splice(0, left === -1 ? offsets.length : left);
      // A map and a set have last the member that was put there last.
      const keys = certain(this.owners.get(owner), 'keys of an owner');
      keys.delete(key);
      if (offsets.length > 0) keys.add(key);
      else this.keys.delete(key);
      this.owners.delete(owner);
      if (keys.size > 0) this.owners.set(owner, keys);
    }
  }

  /** The lowest offsets of an owner's first keys. */
  private lowest(keys: Iterable<string>, most: number, room: number): readonly number[] {
    const offsets: number[] = [];
    let left = most;
    for (const key of keys) {
      if (left === 0) break;
      offsets.push(...this.of(key).offsets.slice(0, room));
      left -= 1;
    }
    return offsets.sort((a, b) => a - b).slice(0, room);
  }

  private count(keys: Iterable<string>): number {
    let count = 0;
    for (const key of keys) count += this.of(key).offsets.length;
    return count;
  }

  private of(key: string): WaitingKey {
    return certain(this.keys.get(key), `records of ${key}`);
  }
}
