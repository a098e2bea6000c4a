import type { Known } from '../casts/known-type.js';

/**
 * Functions that change a text, and whose result has the type of their argument in the engine. The
 * result for bytes would be taken for the base64 of other bytes.
 */
const MAKES_TEXT = new RegExp(
  `^(?:${[
    '(?:upper|lower|initcap|reverse|caseFold)(?:UTF8)?|[ul]case|firstLine|soundex|naturalSortKey|natural_sort_key',
    'translate(?:UTF8)?|toValidUTF8|normalizeUTF8\\w+|nfc_normalize|remove(?:Diacritics|Accents)UTF8|strip_accents',
    'normalizeQuery\\w*|(?:en|de)code(?:XML|HTML|URL|URLForm)Component|url_(?:en|de)code|extractTextFromHTML',
    'protocol|(?:topLevel)?domain\\w*|netloc|path(?:Full)?|basename|fragment|queryString(?:AndFragment)?',
    'firstSignificantSubdomain\\w*|cut(?:To|WWW|QueryString|Fragment)\\w*',
  ].join('|')})$`,
  'i',
);

/** Functions that change the elements of lists. */
const MAKES_ELEMENTS = /^(?:array_?map|(?:list|array)_(?:transform|apply))$/i;
/** A lambda that returns the elements unchanged makes no new text. */
function computes(arg: string): boolean {
  const lambda = arg.indexOf('->');
  return lambda !== -1 && /[('|]/.test(arg.slice(lambda));
}

/** The arguments of a call. For such a function, bytes become text. */
export function textsOfBytes(
  name: string,
  args: readonly string[],
  typeAt: (at: number) => Known,
): readonly string[] {
  if (MAKES_ELEMENTS.test(name) && args.some(computes))
    return args.map((arg, at) =>
      typeAt(at).element?.bytes === undefined ? arg : `CAST(${arg}, 'Array(Nullable(String))')`,
    );
  if (!MAKES_TEXT.test(name)) return args;
  return args.map((arg, at) => (typeAt(at).bytes !== undefined ? `toString(${arg})` : arg));
}
