import { MillraceError } from '@app/platform';
import type { Column } from '@app/warehouse';
import type { Source } from '../../sources/source.js';

/** Looks at the types that files have of themselves. */
export interface KeptTypes {
  /** @throws {MillraceError} where files that came later give a column another type */
  check(): Promise<void>;
  /** Tells whether the last look found another type. */
  haveChanged(): boolean;
}

const bare = (type: string): string => type.replace(/^Nullable\((.*)\)$/s, '$1');

/**
 * The engine casts a value of a wider type to the type that a view has, and cuts it. So the types of
 * all files together are looked at again when files have changed.
 * @param describe finds the columns of the files as they are now
 */
export async function keepTypes(
  { stamp }: Pick<Source, 'stamp'>,
  describe: () => Promise<readonly Column[]>,
): Promise<KeptTypes> {
  let seen = (await stamp?.())?.text;
  const known = new Map((await describe()).map(({ name, type }) => [name, bare(type)]));
  let other: string | undefined;
  return {
    check: async () => {
      const now = (await stamp?.())?.text;
      if (now === undefined || now !== seen) {
        const found = await describe();
        other = found.find(
          ({ name, type }) => (known.get(name) ?? bare(type)) !== bare(type),
        )?.name;
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
