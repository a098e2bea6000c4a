import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { syncPathSync, writeDurablySync } from '@app/platform';
import { PersonKeys } from '../person-keys.js';
import type { ServerKey } from '../server-key.js';

const PURPOSE = 'person-key';
const KEY_BYTES = 32;
const DROPPED = '.dropped';
const PERSON_ID = /^[0-9A-Za-z]{1,64}$/;

/**
 * One small file a person, wrapped with the server's key. Not in a database: those leave old
 * pages behind, and a dropped key must not be found anywhere.
 */
export class EmbeddedPersonKeys extends PersonKeys {
  constructor(
    /** Absolute; made when it is not there. */
    private readonly directory: string,
    private readonly serverKey: ServerKey,
  ) {
    super();
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    // What a crash left between dropping and wiping.
    for (const name of readdirSync(directory)) if (name.endsWith(DROPPED)) this.wipe(name);
  }

  create(personId: string): Promise<Uint8Array> {
    return Promise.resolve(this.find(personId)[0] ?? this.make(personId));
  }

  find(personId: string): readonly Uint8Array[] {
    const file = this.file(personId);
    if (!existsSync(file)) return [];
    const wrapped = readFileSync(file, 'utf8');
    try {
      return [Buffer.from(this.serverKey.unseal(PURPOSE, wrapped, personId), 'base64')];
    } catch (error) {
      throw new Error(
        `the key of a person in ${file} is damaged, or was wrapped with another secret key; restore it from the same backup as the events`,
        { cause: error },
      );
    }
  }

  /** Everybody who has a key here. */
  personIds(): readonly string[] {
    return readdirSync(this.directory).filter((name) => PERSON_ID.test(name));
  }

  /** One process has the directory. */
  learn(): Promise<void> {
    return Promise.resolve();
  }

  drop(personId: string): Promise<void> {
    const file = this.file(personId);
    if (existsSync(file)) {
      // First it is no key any more: half wiped it would look like a damaged one.
      renameSync(file, file + DROPPED);
      syncPathSync(this.directory);
      this.wipe(personId + DROPPED);
    }
    return Promise.resolve();
  }

  private make(personId: string): Uint8Array {
    const key = randomBytes(KEY_BYTES);
    const wrapped = this.serverKey.seal(PURPOSE, key.toString('base64'), personId);
    writeDurablySync(this.file(personId), Buffer.from(wrapped));
    return key;
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

function overwrite(file: string): void {
  const handle = openSync(file, 'r+');
  try {
    writeSync(handle, randomBytes(statSync(file).size), 0);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
