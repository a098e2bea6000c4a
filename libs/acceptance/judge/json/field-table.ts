import { randomInt } from 'node:crypto';
import { certain } from '@app/platform';

const FNV_PRIME = 0x01000193;

/**
 * The start value of hashes. It is secret, because a client could otherwise choose names that all
 * fall on one place.
 */
const HASH_BEGIN = randomInt(2 ** 32) | 0;

/** Hash of bytes (FNV-1a, 32 bits), with its high bits in the low ones, which choose the place. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = HASH_BEGIN;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), FNV_PRIME);
  return hash ^ (hash >>> 15);
}

/**
 * Finds names of fields by their bytes. Records of a stream have their fields in much the same
 * order, so the field after the one found last is looked at first.
 */
export class FieldTable {
  readonly names: string[] = [];
  private readonly keys: Buffer[] = [];
  /**
   * The index of a name, plus 1, at a place that its hash gives. At most half of the places are
   * taken.
   */
  private places = new Int32Array(64);

  constructor(names: readonly string[]) {
    for (const name of names) this.add(name);
  }

  /**
   * @param expected the index to look at first
   * @returns the index of the name; -1 when there is none
   */
  find(bytes: Uint8Array, from: number, to: number, expected: number): number {
    const key = this.keys[expected];
    if (key !== undefined && isSame(key, bytes, from, to)) return expected;
    const { places } = this;
    const last = places.length - 1;
    for (let place = hashOf(bytes, from, to) & last; ; place = (place + 1) & last) {
      const index = (places[place] ?? 0) - 1;
      if (index < 0) return -1;
      const found = this.keys[index];
      if (found !== undefined && isSame(found, bytes, from, to)) return index;
    }
  }

  indexOf(name: string): number {
    const bytes = Buffer.from(name);
    return this.find(bytes, 0, bytes.length, -1);
  }

  /** Adds a name that is not in the table yet. @returns its index */
  add(name: string): number {
    const index = this.names.push(name) - 1;
    this.keys.push(Buffer.from(name));
    if (this.names.length * 2 > this.places.length) {
      this.places = new Int32Array(this.places.length * 2);
      for (let each = 0; each < index; each += 1) this.place(each);
    }
    this.place(index);
    return index;
  }

  private place(index: number): void {
    const { places } = this;
    const key = certain(this.keys[index], 'name of a field');
    const last = places.length - 1;
    let place = hashOf(key, 0, key.length) & last;
    while (places[place] !== 0) place = (place + 1) & last;
    places[place] = index + 1;
  }
}

function isSame(key: Buffer, bytes: Uint8Array, from: number, to: number): boolean {
  const { length } = key;
  if (length !== to - from) return false;
  for (let at = 0; at < length; at += 1) if (key[at] !== bytes[from + at]) return false;
  return true;
}
