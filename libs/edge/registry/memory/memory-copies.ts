import { Semaphore } from '@app/flow';
import type { Logger } from '@app/platform';
import type { SourceStamp } from '../../sources/source-stamp.js';
import type { Generation } from '../generation.js';
import type { Workshop } from '../prepare/open-source.js';
import type { PreparedTable } from '../prepare/prepare-table.js';
import { isSettled } from '../settled.js';
import { dropAskedCopy, makeAskedCopy } from './asked-copy.js';
import { Twins, type LentTables } from './twins.js';

/** The statement after which a table is copied. Most who ask once do not ask again. */
const ENOUGH = 2;
/** At most so large a share of the time is spent on copying a table whose files change all the time. */
const REST = 10;

/** The stamps of the files of tables; undefined: nobody can tell whether they change. */
export type StampedTables = ReadonlyMap<PreparedTable, SourceStamp | undefined>;

/** Notes on one table. */
interface Known {
  /** The statements that read its files since there was no copy. */
  times: number;
  isMaking: boolean;
  /** The time until which no copy is made again. */
  restsUntil: number;
  /** The stamp of files that are not copied again. */
  refused: string | undefined;
  /** The stamp of the files of its copy. */
  copied: string | undefined;
}

/**
 * Copies tables of local files that are read in place, and that are asked again, into memory. That
 * happens in the background, for one table at a time. A copy is read for as long as the files are
 * those that were copied.
 */
export class MemoryCopies {
  private readonly twins: Twins;
  private readonly known = new WeakMap<PreparedTable, Known>();
  private readonly making = new Semaphore(1);
  private isClosed = false;

  /** @param generations those that exist */
  constructor(
    private readonly workshop: Workshop,
    private readonly generations: () => readonly Generation[],
    logger: Logger,
  ) {
    this.twins = new Twins(workshop, generations, logger);
  }

  /**
   * Lends the tables of a generation with copies in the place of those that a statement reads.
   * @returns undefined: there are none; the statement reads the files
   */
  lend(database: string, read: StampedTables): LentTables | undefined {
    const copied: PreparedTable[] = [];
    for (const [table, stamp] of read) {
      if (!this.twins.has(table)) continue;
      if (stamp?.text === this.of(table).copied) copied.push(table);
      else this.twins.letGo(table);
    }
    return this.twins.lend(database, copied);
  }

  /** Must be called when a statement has read the files of these tables. */
  asked(read: StampedTables): void {
    for (const [table, stamp] of read) {
      const known = this.of(table);
      known.times += 1;
      const isDue = known.times >= ENOUGH && performance.now() >= known.restsUntil;
      const isWanted = table.rows && stamp && stamp.text !== known.refused;
      if (!isDue || !isWanted || known.isMaking || this.twins.has(table)) continue;
      known.isMaking = true;
      void this.making
        .run(() => this.copy(table, known))
        .catch((error: unknown) => {
          if (!this.isClosed) this.workshop.told(table.described.name, error);
        })
        .finally(() => (known.isMaking = false));
    }
  }

  /** Must be called when generations have gone. */
  sweep(): void {
    this.twins.sweep();
  }

  /** Nothing is copied any more, and nothing is told. */
  close(): void {
    this.isClosed = true;
  }

  private async copy(table: PreparedTable, known: Known): Promise<void> {
    const { described, files, rows, check } = table;
    const before = await files?.();
    if (!rows || !before || !isSettled(before) || !this.isThere(table) || this.isClosed) return;
    const most = this.workshop.holding.asked.left;
    const began = performance.now();
    known.refused = before.text;
    await check?.();
    const copy = before.bytes > most ? undefined : await makeAskedCopy(rows, this.workshop);
    if (!copy)
      return this.workshop.toldOfMemory(
        `${described.name}: not held in memory, where ${sizeText(most)} are left for it`,
      );
    known.refused = undefined;
    known.times = 0;
    const ended = performance.now();
    known.restsUntil = ended + (ended - began) * REST;
    const after = await files?.();
    if (after?.text !== before.text || !this.isThere(table))
      return dropAskedCopy(copy, this.workshop);
    known.copied = before.text;
    await this.twins.put(table, copy);
    this.workshop.toldOfMemory(
      `${described.name}: held in memory now, ${sizeText(copy.memoryBytes)}`,
    );
  }

  private isThere(table: PreparedTable): boolean {
    return this.generations().some(({ tables }) => [...tables.values()].includes(table));
  }

  private of(table: PreparedTable): Known {
    const known = this.known.get(table) ?? {
      times: 0,
      isMaking: false,
      restsUntil: 0,
      refused: undefined,
      copied: undefined,
    };
    this.known.set(table, known);
    return known;
  }
}

const MIB = 1024 ** 2;

const sizeText = (bytes: number): string =>
  bytes < 1024 * MIB ? `${(bytes / MIB).toFixed(1)} MiB` : `${(bytes / 1024 / MIB).toFixed(1)} GiB`;
