import type { TypelessColumn } from '../sources/source.js';
import type { ByteLeaves } from './schemas/byte-leaves.js';
import type { DecimalPaths } from './columns/wide-decimals.js';
import type { ShortRecords } from './csv/uneven-records.js';

/** The things that a look at files tells besides. */
export interface SeenFiles {
  /** A truth or an empty text of CSV stands in quotes somewhere, or may do so. */
  readonly haveQuotedWords: boolean;
  /** Values of CSV have blanks before their quotes. */
  readonly haveLooseQuotes: boolean;
  /** Records of CSV that have fewer fields than the first one, by file; empty where none may. */
  readonly short: ReadonlyMap<string, ShortRecords>;
  /** Decimals of Parquet; absent: they were not looked at. */
  readonly decimals?: DecimalPaths;
  /** Columns with bytes of Parquet and Arrow. */
  readonly bytes: ByteLeaves;
  /** Columns of Arrow without a type, of all files. */
  readonly typeless: readonly TypelessColumn[];
  /**
   * Looks at all bytes of files of which only the beginning was looked at; absent: there are none.
   * @throws {MillraceError}
   */
  readonly lookAtAll?: () => Promise<void>;
}
