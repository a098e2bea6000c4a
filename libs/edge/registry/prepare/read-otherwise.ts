import type { SourceEngine } from '@app/warehouse';
import type { Source } from '../../sources/source.js';
import { isShort, orWithShortRecords } from '../csv/uneven-records.js';

/** Some writers of Parquet count the rows of pages wrongly in an index that no reader needs. */
const WRONG_INDEX = /Invalid offset index/;

/** Tells whether a source that failed so can be read in another way. */
export const canBeReadOtherwise = (failure: unknown): boolean =>
  isShort(failure) || WRONG_INDEX.test(String(failure));

/** Reads a source as most are read, and in another way if it fails because of how it is written. */
export const readOtherwise = <Given extends Source, Result>(
  source: Given,
  statements: SourceEngine['statements'],
  read: (source: Given) => Promise<Result>,
): Promise<Result> =>
  orWithShortRecords(source, statements, async (each) => {
    try {
      return await read(each);
    } catch (error) {
      if (!WRONG_INDEX.test(String(error))) throw error;
      const settings = { ...each.settings, input_format_parquet_use_offset_index: '0' };
      return read({ ...each, settings });
    }
  });
