import { MillraceError } from '@app/platform';
import type { Column, SourceEngine } from '@app/warehouse';
import { withoutNull } from '@app/warehouse';
import { listedPaths } from '../../sources/listed-paths.js';
import { SourceError } from '../../sources/source-error.js';
import type { Source } from '../../sources/source.js';
import type { CheckFiles } from '../check/checked-files.js';
import type { SeenFiles } from '../seen-files.js';

/** Looks at the types that files have of themselves. */
interface KeptTypes {
  /** @throws {MillraceError} where files that came later give a column another type */
  check(): Promise<void>;
  /** Tells whether the last look found another type. */
  haveChanged(): boolean;
}

const NUMBER = /^(U?Int|Float)(8|16|32|64)$/;

/** Tells whether each value of the one type has its place in the other: the same, or a wider one. */
function holds(wider: string, type: string): boolean {
  if (wider === type) return true;
  const [, kind = '', bits = 0] = NUMBER.exec(type) ?? [];
  const [, widerKind = '', widerBits = 0] = NUMBER.exec(wider) ?? [];
  if (kind === '' || widerKind === '') return false;
  if (kind === widerKind) return Number(bits) < Number(widerBits);
  // A float has digits for integers of half its bits.
  if (widerKind === 'Float') return Number(bits) <= Number(widerBits) / 2;
  return kind === 'UInt' && widerKind === 'Int' && Number(bits) < Number(widerBits);
}

/**
 * The engine casts a value of a wider type to the type that a view has, and cuts it. So the types of
 * all files together are looked at again when files have changed; at each query, where nobody can
 * tell whether they have. The engine keeps those of files elsewhere for as long as they are the same.
 * @param describe finds the columns of the files as they are now
 * @param told the only columns that are read, if somebody has declared them
 */
export async function keepTypes(
  { stamp }: Pick<Source, 'stamp'>,
  describe: () => Promise<readonly Column[]>,
  told: readonly Column[] | undefined,
): Promise<KeptTypes> {
  let seen = (await stamp?.())?.text;
  const isRead = (name: string): boolean => told?.some((each) => each.name === name) ?? true;
  // Files of declared columns may come later.
  let first = await describe().catch((error: unknown) => {
    if (told) return undefined;
    throw error;
  });
  let other: string | undefined;
  const look = async (): Promise<void> => {
    const found = await describe().catch((error: unknown) => {
      if (told) return undefined;
      throw error;
    });
    first ??= found;
    const known = new Map(first?.map(({ name, type }) => [name, withoutNull(type)]));
    const isOther = ({ name, type }: Column): boolean =>
      isRead(name) && !holds(known.get(name) ?? withoutNull(type), withoutNull(type));
    other = found?.find(isOther)?.name;
  };
  let looking: Promise<void> | undefined;
  return {
    check: async () => {
      const now = (await stamp?.())?.text;
      if (now === undefined || now !== seen) {
        looking ??= look().finally(() => {
          looking = undefined;
        });
        await looking;
        seen = now;
      }
      if (other !== undefined)
        throw new MillraceError(
          'MALFORMED_BODY',
          `a file has come in which column "${other}" has another type: the table must be read again (reload_interval does so, or register it again)`,
        );
    },
    haveChanged: () => other !== undefined,
  };
}

const NOTHING: SeenFiles = {
  haveQuotedWords: false,
  haveLooseQuotes: false,
  short: new Map(),
  bytes: new Map(),
  typeless: [],
};

/**
 * Fails where a pattern has no file any more. The engine would answer no rows, because the columns
 * are told.
 * @returns undefined where there is nothing to look at
 */
export function insistingOnOne(
  { files, many, mayBeEmpty }: Pick<Source, 'files' | 'many'> & { readonly mayBeEmpty: boolean },
  statements: SourceEngine['statements'],
  check: CheckFiles | undefined,
  kept: KeptTypes | undefined,
): CheckFiles | undefined {
  const listed = many ? files : undefined;
  if (listed === undefined && kept === undefined) return check;
  // Files of declared columns may come later.
  let isSeen = !mayBeEmpty;
  return async () => {
    if (listed !== undefined) {
      const isEmpty = (await listedPaths(listed, statements, 1)).length === 0;
      if (isEmpty && isSeen) throw new SourceError('there are no files');
      if (isEmpty) return NOTHING;
      isSeen = true;
    }
    await kept?.check();
    return (await check?.()) ?? NOTHING;
  };
}
