import { certain } from '@app/platform';
import { HASH_BEGIN, mixed } from './name-hash.js';

/** Hash of bytes (FNV-1a, 32 bits), with its high bits in the low ones, which choose the place. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = HASH_BEGIN;
  for (let at = from; at < to; at += 1) hash = mixed(hash, bytes[at] ?? 0);
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
   * The names one behind another, each in quotes and with the colon, as records without blanks
   * write them. A name begins where the one before it ends.
   */
  private written = new Uint8Array(1024);
  private ends = new Int32Array(64);
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

  /**
   * Compares what begins there with a name as records without blanks write it.
   * @returns the place behind its colon; -1 when something else stands there
   */
  behind(index: number, bytes: Uint8Array, from: number): number {
    const { written, ends } = this;
    const end = ends[index + 1] ?? 0;
    let at = from;
    for (let place = ends[index] ?? 0; place < end; place += 1, at += 1)
      if (written[place] !== bytes[at]) return -1;
    return at > from ? at : -1;
  }

  indexOf(name: string): number {
    const bytes = Buffer.from(name);
    return this.find(bytes, 0, bytes.length, -1);
  }

  /** Adds a name that is not in the table yet. @returns its index */
  add(name: string): number {
    const index = this.names.push(name) - 1;
    this.keys.push(Buffer.from(name));
    this.write(index, name);
    if (this.names.length * 2 > this.places.length) {
      this.places = new Int32Array(this.places.length * 2);
      for (let each = 0; each < index; each += 1) this.place(each);
    }
    this.place(index);
    return index;
  }

  /** A name that is written with an escape has no bytes here, and is never found by them. */
  private write(index: number, name: string): void {
    const quoted = JSON.stringify(name);
    const bytes = Buffer.from(quoted === `"${name}"` ? `${quoted}:` : '');
    const from = this.ends[index] ?? 0;
    const end = from + bytes.length;
    if (index + 1 >= this.ends.length) {
      const { ends } = this;
      this.ends = new Int32Array(2 * ends.length);
      this.ends.set(ends);
    }
    if (end > this.written.length) {
      const { written } = this;
      this.written = new Uint8Array(2 * end);
      this.written.set(written);
    }
    this.ends[index + 1] = end;
    this.written.set(bytes, from);
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
