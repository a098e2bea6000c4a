import { randomBytes } from 'node:crypto';
import { SingleFlight } from '@app/flow';
import { OperatorError } from '@app/platform';
import { PersonKeys } from '../person-keys.js';
import type { ServerKey } from '../server-key.js';

const PURPOSE = 'person-key';
const KEY_BYTES = 32;

/** The place of wrapped keys for all processes. Deleted keys leave no trace in it. */
export interface KeyTable {
  /** The keys of one person, or of all. */
  wrappedKeys(
    personId?: string,
  ): Promise<readonly { readonly personId: string; readonly wrapped: string }[]>;
  addWrappedKey(key: { readonly personId: string; readonly wrapped: string }): Promise<void>;
  /** @param but the person's keys that stay */
  dropWrappedKeys(personId: string, but?: readonly string[]): Promise<void>;
}

/**
 * Keys in a table that several processes share. Each process has all of them in memory. The table
 * has no "insert unless it exists", so two processes that register the same person at the same
 * moment may each make a key. The event store lets only one of them register, and the sealed values
 * of that event show which key is in use.
 */
export class SharedPersonKeys extends PersonKeys {
  /** The wrapped keys of each person. */
  private readonly known = new Map<string, string[]>();
  /**
   * Keys that are being made, by person. Further calls for the same person get the same promise.
   */
  private readonly creating = new SingleFlight<Uint8Array>();

  private constructor(
    private readonly table: KeyTable,
    private readonly serverKey: ServerKey,
  ) {
    super();
  }

  /** @throws {Error} when the keys that are there were wrapped with another server key. */
  static async open(table: KeyTable, serverKey: ServerKey): Promise<SharedPersonKeys> {
    const keys = new SharedPersonKeys(table, serverKey);
    const all = await table.wrappedKeys();
    for (const { personId, wrapped } of all) keys.note(personId, wrapped);
    // A key that does not open may come from a server with another key. If none opens, this
    // server's key is wrong.
    const [first] = all;
    if (first && !all.some(({ personId }) => keys.opens(personId))) keys.find(first.personId);
    return keys;
  }

  async create(personId: string): Promise<Uint8Array> {
    const [known] = this.find(personId);
    if (known) return known;
    return this.creating.run(personId, () => this.make(personId));
  }

  find(personId: string): readonly Uint8Array[] {
    return (this.known.get(personId) ?? []).map((wrapped) => this.unwrap(personId, wrapped));
  }

  async learn(personId: string, isTheirs: (key: Uint8Array) => boolean): Promise<void> {
    const [only, other] = this.find(personId);
    if (only && !other && isTheirs(only)) return;
    await this.refresh(personId);
    const candidates = this.known.get(personId) ?? [];
    const theirs = candidates.filter((wrapped) => isTheirs(this.unwrap(personId, wrapped)));
    const [one, another] = theirs;
    // If two keys both open something, both are in use.
    if (one === undefined || another !== undefined || candidates.length === 1) return;
    this.known.set(personId, theirs);
    await this.table.dropWrappedKeys(personId, [one]);
  }

  async drop(personId: string): Promise<void> {
    this.known.delete(personId);
    await this.table.dropWrappedKeys(personId);
  }

  /**
   * Takes over a key that one process had for itself. The table has it when the promise resolves.
   * When the person has another key already, their sealed values show which one is in use.
   */
  async adopt(personId: string, key: Uint8Array): Promise<void> {
    const has = this.find(personId).some((known) => Buffer.from(known).equals(key));
    if (!has) await this.add(personId, key);
  }

  /**
   * A crash in between leaves both forms of a key. Of somebody who has two keys it is not settled
   * yet which is in use, so both are wrapped anew. One that does not open stays as it is.
   */
  async rewrap(): Promise<number> {
    let count = 0;
    for (const [personId, known] of [...this.known]) {
      const closed: string[] = [];
      const keys = new Map<string, Uint8Array>();
      for (const wrapped of known) {
        const key = this.unwrapped(personId, wrapped);
        if (key) keys.set(Buffer.from(key).toString('hex'), key);
        else closed.push(wrapped);
      }
      if (keys.size === 0) continue;
      const anew = [...keys.values()].map((key) => this.wrap(personId, key));
      for (const wrapped of anew) await this.table.addWrappedKey({ personId, wrapped });
      const kept = [...anew, ...closed];
      this.known.set(personId, kept);
      await this.table.dropWrappedKeys(personId, kept);
      count += 1;
    }
    return count;
  }

  private async make(personId: string): Promise<Uint8Array> {
    await this.refresh(personId);
    return this.find(personId)[0] ?? this.add(personId, randomBytes(KEY_BYTES));
  }

  private async add(personId: string, key: Uint8Array): Promise<Uint8Array> {
    const wrapped = this.wrap(personId, key);
    await this.table.addWrappedKey({ personId, wrapped });
    this.note(personId, wrapped);
    return key;
  }

  private async refresh(personId: string): Promise<void> {
    for (const { wrapped } of await this.table.wrappedKeys(personId)) this.note(personId, wrapped);
  }

  private note(personId: string, wrapped: string): void {
    const known = this.known.get(personId) ?? [];
    if (!known.includes(wrapped)) this.known.set(personId, [...known, wrapped]);
  }

  private wrap(personId: string, key: Uint8Array): string {
    return this.serverKey.seal(PURPOSE, Buffer.from(key).toString('base64'), personId);
  }

  private unwrapped(personId: string, wrapped: string): Uint8Array | undefined {
    try {
      return this.unwrap(personId, wrapped);
    } catch {
      return undefined;
    }
  }

  private opens(personId: string): boolean {
    try {
      return this.find(personId).length > 0;
    } catch {
      return false;
    }
  }

  private unwrap(personId: string, wrapped: string): Uint8Array {
    try {
      return Buffer.from(this.serverKey.unseal(PURPOSE, wrapped, personId), 'base64');
    } catch (error) {
      throw new OperatorError(
        'the keys of people in the warehouse were wrapped with another server key; processes that share it need the same MILLRACE_SECRET_KEY',
        { cause: error },
      );
    }
  }
}
