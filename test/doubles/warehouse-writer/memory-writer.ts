import {
  NETWORK_ERROR,
  WarehouseError,
  WarehouseWriter,
  type BatchInsert,
  type TableName,
} from '@app/warehouse';

interface Fault {
  readonly isStored: boolean;
  readonly arrival: Promise<void>;
}

/** One table, of offsets only, behind a wire that breaks when the test says so. */
export class MemoryWriter extends WarehouseWriter {
  /** Offsets of batches as they were inserted, doubles too. */
  readonly stored: bigint[] = [];
  /** The tables whose offsets were read, in order. */
  readonly readOf: string[] = [];
  private readonly faults = new Map<bigint, Fault>();
  private reads: Promise<void> = Promise.resolve();

  /** The next insert of this offset fails; it is stored all the same, when it arrives. */
  loseAnswerOf(offset: bigint, arrival: Promise<void> = Promise.resolve()): void {
    this.faults.set(offset, { isStored: true, arrival });
  }

  /** The next insert of this offset fails, and is not stored. */
  refuse(offset: bigint): void {
    this.faults.set(offset, { isStored: false, arrival: Promise.resolve() });
  }

  /** Holds reads from now on. They are done at once, and answered when the returned function is called. */
  holdReads(): () => void {
    let release = (): void => undefined;
    this.reads = new Promise((resolve) => (release = resolve));
    return release;
  }

  override claim(): Promise<void> {
    return Promise.resolve();
  }

  override async insert({ batches }: BatchInsert): Promise<void> {
    const offsets = batches.map(({ position }) => position.offset);
    const [first = -1n] = offsets;
    const fault = this.faults.get(first);
    this.faults.delete(first);
    await fault?.arrival;
    if (fault?.isStored !== false) this.stored.push(...offsets);
    if (fault) throw new WarehouseError(NETWORK_ERROR, 'NETWORK_ERROR', 'socket hang up');
  }

  override async storedOffsets(
    { table }: TableName,
    _partition: number,
    from: bigint,
  ): Promise<ReadonlySet<bigint>> {
    this.readOf.push(table);
    const read = new Set(this.stored.filter((offset) => offset >= from));
    await this.reads;
    return read;
  }
}
