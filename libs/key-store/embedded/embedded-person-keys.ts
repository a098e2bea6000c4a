import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '@app/platform';
import { syncPathSync, writeDurablySync } from '@app/files';
import { PersonKeys } from '../person-keys.js';
import type { ServerKey } from '../server-key.js';
import { overwrite, replaceWiped } from '../wipe.js';

const PURPOSE = 'person-key';
const KEY_BYTES = 32;
const DROPPED = '.dropped';
const REWRAPPED = '.rewrapped';
/**
 * The number of keys that are cached, because thousands of consecutive events may belong to the
 * same people.
 */
const KNOWN_MAX = 10_000;
const PERSON_ID = /^[0-9A-Za-z]{1,64}$/;

/**
 * Stores one small file for each person, wrapped with the server's key. A database would leave old
 * pages behind, and a deleted key must not be found anywhere.
 */
export class EmbeddedPersonKeys extends PersonKeys {
  private readonly known = new Map<string, Uint8Array>();

  constructor(
    /** An absolute path; created when missing. */
    private readonly directory: string,
    private readonly serverKey: ServerKey,
  ) {
    super();
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    // A crash may have left these files between dropping and wiping, or between wrapping anew and
    // replacing.
    for (const name of readdirSync(directory))
      if (name.endsWith(DROPPED) || name.endsWith(REWRAPPED)) this.wipe(name);
  }

  create(personId: string): Promise<Uint8Array> {
    return Promise.resolve(this.find(personId)[0] ?? this.make(personId));
  }

  find(personId: string): readonly Uint8Array[] {
    const known = this.known.get(personId);
    if (known) return [known];
    const file = this.file(personId);
    if (!existsSync(file)) return [];
    const wrapped = readFileSync(file, 'utf8');
    try {
      const key = Buffer.from(this.serverKey.unseal(PURPOSE, wrapped, personId), 'base64');
      if (this.known.size >= KNOWN_MAX) this.known.clear();
      this.known.set(personId, key);
      return [key];
    } catch (error) {
      throw new OperatorError(
        `the key of a person in ${file} is damaged, or was wrapped with another secret key; restore it from the same backup as the events`,
        { cause: error },
      );
    }
  }

  /** The ids of all people who have a key here. */
  personIds(): readonly string[] {
    return readdirSync(this.directory).filter((name) => PERSON_ID.test(name));
  }

  /** Only one process uses the directory. */
  learn(): Promise<void> {
    return Promise.resolve();
  }

  drop(personId: string): Promise<void> {
    this.known.delete(personId);
    const file = this.file(personId);
    if (existsSync(file)) {
      // The file is renamed first, because a half-wiped key would look like a damaged one.
      renameSync(file, file + DROPPED);
      syncPathSync(this.directory);
      this.wipe(personId + DROPPED);
    }
    return Promise.resolve();
  }

  /** The bytes that another server's key has wrapped must be wiped too. */
  rewrap(): Promise<number> {
    const all = this.personIds();
    for (const personId of all)
      for (const key of this.find(personId)) {
        const file = this.file(personId);
        writeDurablySync(file + REWRAPPED, this.wrapped(personId, key));
        replaceWiped(file + REWRAPPED, file);
      }
    return Promise.resolve(all.length);
  }

  private make(personId: string): Uint8Array {
    const key = randomBytes(KEY_BYTES);
    writeDurablySync(this.file(personId), this.wrapped(personId, key));
    return key;
  }

  private wrapped(personId: string, key: Uint8Array): Buffer {
    const text = Buffer.from(key).toString('base64');
    return Buffer.from(this.serverKey.seal(PURPOSE, text, personId));
  }

  private wipe(name: string): void {
    const file = join(this.directory, name);
    overwrite(file);
    unlinkSync(file);
    syncPathSync(this.directory);
  }

  private file(personId: string): string {
    if (!PERSON_ID.test(personId)) throw new Error('a person id is letters and digits');
    return join(this.directory, personId);
  }
}
