import { areWide, decimalColumns, footerOf, refuseWideDeltas, type DecimalBytes, type Footer } from '@app/parquet'; // prettier-ignore
import { MillraceError } from '@app/platform';
import type { DecimalPaths, FoundDecimal } from './wide-decimals.js';

const isSame = (one: DecimalBytes, other: DecimalBytes): boolean =>
  one.bytes === other.bytes && one.isLowFirst === other.isLowFirst && one.scale === other.scale;

/** The decimals of files together, of which some must be read as bytes: then all must be alike. */
export function togetherOf(files: Iterable<ReadonlyMap<string, FoundDecimal>>): DecimalPaths {
  const all = new Map<string, FoundDecimal[]>();
  for (const file of files)
    for (const [path, decimal] of file) all.set(path, [...(all.get(path) ?? []), decimal]);
  const areAlike = ([first, ...others]: readonly FoundDecimal[]): boolean =>
    first !== undefined && others.every((other) => isSame(first, other));
  return new Map(
    [...all].map(([path, each]) => {
      const isSingle = each.every((one) => !areWide(one) && !one.areBytes) || areAlike(each);
      return [path, isSingle ? each[0] : undefined];
    }),
  );
}

/**
 * Finds a column that a file has otherwise than the files that were read first.
 * @param told what is known of those
 * @returns its path
 */
export function otherDecimal(
  file: ReadonlyMap<string, DecimalBytes>,
  told: DecimalPaths,
): string | undefined {
  const isOther = ([path, decimal]: readonly [string, DecimalBytes]): boolean => {
    const known = told.get(path);
    const isRead = areWide(decimal) || (known !== undefined && areWide(known));
    return isRead && (known === undefined || !isSame(known, decimal));
  };
  return [...file].find(isOther)?.[0];
}

/** The decimals of a file on this machine; none where it is no Parquet that can be read. */
export const decimalsOfFile = async (file: string): Promise<ReadonlyMap<string, DecimalBytes>> =>
  decimalColumns((await readableFooter(file))?.schema ?? []);

/**
 * The decimals of a file whose values are read as they are.
 * @throws {BrokenFileError} where the engine would take values of it for others
 */
export async function decimalsOfSound(file: string): Promise<ReadonlyMap<string, DecimalBytes>> {
  const footer = await readableFooter(file);
  if (footer) await refuseWideDeltas(file, footer);
  return decimalColumns(footer?.schema ?? []);
}

const readableFooter = (file: string): Promise<Footer | undefined> =>
  footerOf(file, file).catch((error: unknown) => {
    // A fault of it is told when its columns are asked for.
    const isOfFile =
      error instanceof MillraceError || (error instanceof Error && 'syscall' in error);
    if (isOfFile) return undefined;
    throw error;
  });
