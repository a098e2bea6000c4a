import { createReadStream } from 'node:fs';
import { BrokenFileError } from '@app/parquet';
import { blanksOf } from '../../sources/engine-format.js';
import type { Source } from '../../sources/source.js';
import { csvRecords } from './csv-records.js';

/** A number of so few digits that its column is one of numbers, if all others are numbers. */
const NUMBER = /^-?(?:0|[1-9]\d{0,14})?(?:\.\d{1,15})?$/;
const SHOWN_MAX = 40;

/**
 * Refuses a file with quotes behind blanks (`1, "x"`) if values without quotes have blanks around
 * them, too. The engine takes such quotes for quotes only if it drops blanks around all values.
 * Numbers may have them.
 * @param head the number of records before the first values
 * @throws {BrokenFileError}
 */
export async function refusePadded(file: string, delimiter: string, head: number): Promise<void> {
  const padded = new Map<number, readonly [line: number, text: string]>();
  const texts = new Set<number>();
  let records = 0;
  for await (const { line, fields } of csvRecords(createReadStream(file), delimiter)) {
    records += 1;
    if (records <= head) continue;
    for (const [place, { text, isQuoted, isPadded }] of fields.entries()) {
      const bare = text.trim();
      const isNumber = bare !== '' && NUMBER.test(bare);
      if (!isNumber && text !== '') texts.add(place);
      if (isPadded && !isQuoted && !padded.has(place)) padded.set(place, [line, text]);
    }
    for (const [place, [at, text]] of padded)
      if (texts.has(place))
        throw new BrokenFileError(
          `the value ${JSON.stringify(text.slice(0, SHOWN_MAX))} in line ${at} has blanks around it, which would be dropped because other values have them before their quotes: put it into quotes, or take all such blanks out`,
        );
  }
}

/**
 * The source with quotes behind blanks taken for quotes, for which the engine drops blanks around
 * all values.
 */
export function loosened(source: Source): Pick<Source, 'settings' | 'header' | 'byNames'> {
  const { header, byNames } = source;
  const blanks = blanksOf({ isLoose: true });
  const settings = { ...source.settings, ...blanks };
  return {
    settings,
    ...(header && {
      header: { ...header, settings: { ...header.settings, ...blanks } },
    }),
    ...(byNames && { byNames: { ...byNames, ...loosened(byNames) } }),
  };
}
