import { totalmem } from 'node:os';
import { availableMemory } from '@app/warehouse';
import { MemoryAllowance } from '../../memory-allowance.js';
import type { SourceStamp } from '../../sources/source-stamp.js';
import type { DescribedTable, TableFormat } from '../../table-description.js';

/** Files of these formats have to be parsed completely for each query. */
const PARSED: ReadonlySet<TableFormat> = new Set(['csv', 'json', 'ndjson']);
/**
 * Files of these formats are columnar. A copy saves opening the files and reading their footers.
 */
const COLUMNS: ReadonlySet<TableFormat> = new Set(['parquet', 'arrow', 'arrows']);
const SMALL_BYTES = 128 * 1024 ** 2;
/** Temporary folders are in memory on some machines. */
const SHARE_OF_MEMORY = 1 / 8;
/** The share of the memory for small copies, which certainly stay in memory. */
const SHARE_OF_SMALL = 1 / 16;
/** The share of the memory, which may be a container's, for copies of tables that are asked again. */
const SHARE_OF_ASKED = 1 / 8;

/** The size up to which files are copied although the user did not ask for it. */
export class Holding {
  private left: number;

  constructor(
    bytes = Math.floor(totalmem() * SHARE_OF_MEMORY),
    /**
     * The allowance for all copies in memory, both those that users ask for and those that the
     * program decides on.
     */
    readonly memory = new MemoryAllowance(Math.floor(totalmem() * SHARE_OF_SMALL)),
    /** The allowance for copies in memory of tables that are read in place, and asked again. */
    readonly asked = new MemoryAllowance(Math.floor(availableMemory() * SHARE_OF_ASKED)),
  ) {
    this.left = bytes;
  }

  /**
   * Tells whether a table is copied although its description does not say so. The bytes that it
   * takes must be given back.
   */
  take({ materialize, options }: DescribedTable, stamp: SourceStamp | undefined): boolean {
    if (materialize !== undefined || !stamp || stamp.bytes > this.left) return false;
    const { format } = options;
    const isWorth = PARSED.has(format) || (COLUMNS.has(format) && stamp.bytes <= SMALL_BYTES);
    if (isWorth) this.left -= stamp.bytes;
    return isWorth;
  }

  giveBack(bytes: number): void {
    this.left += bytes;
  }
}
