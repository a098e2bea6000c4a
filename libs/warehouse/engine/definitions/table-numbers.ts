import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeDurablySync } from '@app/files';
import { readDefinition, type PlacedDefinition } from './table-definitions.js';

interface KeptNumber {
  readonly uuid: string;
  /** The stream whose table it is; absent: it is that of none. */
  readonly comment?: string | undefined;
}

/** The beginning of a definition of the engine, with or without a number. */
const BEGINNING = /^ATTACH TABLE _(?: UUID '[^']*')?(?=\n\()/;
/** A folder with rows, by the numbers of its blocks. */
const PART = /^[^_]+_\d+_\d+_\d+/;

/**
 * Keeps the numbers (UUIDs) of tables, by which their rows lie on the disk. A definition that was
 * put there from another copy of the data has the number that the table had there. With it the table
 * would be loaded as an empty one, and its rows be on the disk without anybody seeing them; with none
 * the engine crashes. Such a definition gets its own number back.
 */
export class TableNumbers {
  private readonly kept: Map<string, KeptNumber>;
  private saved: string;

  constructor(
    private readonly store: string,
    private readonly file: string,
  ) {
    this.kept = read(file);
    this.saved = JSON.stringify(Object.fromEntries(this.kept));
  }

  /**
   * Gives definitions their numbers back.
   * @param placed all definitions that the engine is to load
   * @param aside the numbers of those that it is not to load
   * @returns the tables whose definitions were changed
   */
  mend(
    placed: readonly PlacedDefinition[],
    aside: readonly (string | undefined)[],
  ): readonly PlacedDefinition[] {
    const taken = new Map<string | undefined, number>();
    const numbers = [...placed.map(({ text }) => readDefinition(text).uuid), ...aside];
    for (const uuid of numbers) taken.set(uuid, (taken.get(uuid) ?? 0) + 1);
    return placed.filter((each) => {
      const { uuid, comment } = readDefinition(each.text);
      const own = this.kept.get(keyOf(each));
      if (!own || own.uuid === uuid || own.comment !== comment) return false;
      if (taken.has(own.uuid) || !this.hasRows(own.uuid) || this.isDropped(own.uuid)) return false;
      // Somebody has put the rows there, too.
      if (uuid !== undefined && taken.get(uuid) === 1 && this.hasRows(uuid)) return false;
      if (!BEGINNING.test(each.text)) return false;
      const whole = each.text.replace(BEGINNING, `ATTACH TABLE _ UUID '${own.uuid}'`);
      writeDurablySync(each.place, Buffer.from(whole));
      return true;
    });
  }

  /** @param loaded the definitions that the engine has loaded */
  keep(loaded: readonly PlacedDefinition[], aside: ReadonlySet<string>): void {
    for (const key of this.kept.keys()) if (!aside.has(key)) this.kept.delete(key);
    for (const each of loaded) this.note(each);
    this.save();
  }

  /** A table was made, and the engine may be started again before this process ends. */
  note(definition: PlacedDefinition): void {
    const { uuid, comment } = readDefinition(definition.text);
    if (uuid !== undefined) this.kept.set(keyOf(definition), { uuid, comment });
  }

  save(): void {
    const text = JSON.stringify(Object.fromEntries(this.kept));
    if (text === this.saved) return;
    try {
      writeDurablySync(this.file, Buffer.from(text));
      this.saved = text;
    } catch {
      // A full disk keeps nobody from starting. What the file said before is as true as it was.
    }
  }

  private hasRows(uuid: string): boolean {
    const folder = join(this.store, 'store', uuid.slice(0, 3), uuid);
    return existsSync(folder) && readdirSync(folder).some((name) => PART.test(name));
  }

  /** A table that the engine has not done away with yet is no more than that. */
  private isDropped(uuid: string): boolean {
    const folder = join(this.store, 'metadata_dropped');
    return existsSync(folder) && readdirSync(folder).some((name) => name.includes(uuid));
  }
}

const keyOf = ({ database, table }: PlacedDefinition): string => `${database}.${table}`;

const keptNumbers = z.record(
  z.string(),
  z.object({ uuid: z.guid(), comment: z.string().optional() }),
);

/** A file that cannot be read is as good as none: all that it says is where rows are. */
function read(file: string): Map<string, KeptNumber> {
  try {
    return new Map(Object.entries(keptNumbers.parse(JSON.parse(readFileSync(file, 'utf8')))));
  } catch {
    return new Map();
  }
}
