import { MillraceError } from '@app/platform';
import type { ResultFormat } from '@app/warehouse';

const TEXT = '; charset=utf-8';
export const JSON_TYPE = `application/json${TEXT}`;
/** The supported media types, the default first. */
const FORMATS: readonly (readonly [type: string, format: ResultFormat, parameters: string])[] = [
  ['application/json', 'json', TEXT],
  ['application/x-ndjson', 'ndjson', TEXT],
  ['application/ndjson', 'ndjson', TEXT],
  ['application/jsonlines', 'ndjson', TEXT],
  ['text/csv', 'csv', TEXT],
  ['application/csv', 'csv', TEXT],
  ['application/vnd.apache.arrow.stream', 'arrow-stream', ''],
  ['application/vnd.apache.arrow.file', 'arrow-file', ''],
  // ROAPI accepts these types, too.
  ['application/arrow.stream', 'arrow-stream', ''],
  ['application/arrow.file', 'arrow-file', ''],
  ['application/parquet', 'parquet', ''],
  ['application/vnd.apache.parquet', 'parquet', ''],
];

interface Negotiated {
  readonly format: ResultFormat;
  readonly contentType: string;
}

/** Browsers, and tools that show text, ask for these types. They get the default. */
const SHOWN = ['text/html', 'text/plain'];

/** Programs send the same header each time, so the choice is cached. */
const CHOSEN = new Map<string, Negotiated>();
const CHOSEN_MAX = 100;
const CHOSEN_LENGTH_MAX = 200;

/** Chooses the answer's format by the Accept header. @throws {MillraceError} NOT_ACCEPTABLE when none fits. */
export function negotiateFormat(accept: string | undefined): Negotiated {
  const key = accept ?? '*/*';
  const known = CHOSEN.get(key);
  if (known) return known;
  const chosen = choose(key);
  if (key.length <= CHOSEN_LENGTH_MAX && CHOSEN.size < CHOSEN_MAX) CHOSEN.set(key, chosen);
  return chosen;
}

function choose(accept: string): Negotiated {
  const ranges = weighed(accept);
  const [best] = FORMATS.map((each) => ({ each, ...preference(ranges, each[0]) }))
    .filter(({ q }) => q > 0)
    .sort((a, b) => b.q - a.q || a.place - b.place);
  const isShown = ranges.some(({ value, q }) => SHOWN.includes(value) && q > 0);
  const chosen = best?.each ?? (isShown ? FORMATS[0] : undefined);
  if (chosen) {
    const [type, format, parameters] = chosen;
    return { format, contentType: `${type}${parameters}` };
  }
  throw new MillraceError(
    'NOT_ACCEPTABLE',
    `none of Accept: ${accept} can be sent; ask for ${FORMATS.map(([type]) => type).join(', ')}`,
  );
}

export type ContentEncoding = 'gzip' | 'br' | 'zstd';

/**
 * Chooses a content encoding by the Accept-Encoding header; none unless asked for.
 * @param offered those that this Node.js can make, the best first.
 */
export function negotiateEncoding(
  acceptEncoding: string | undefined,
  offered: readonly ContentEncoding[],
): ContentEncoding | undefined {
  if (!acceptEncoding) return undefined;
  const wanted = weighed(acceptEncoding);
  const [best] = offered
    .map((name, place) => {
      const own = wanted.find(({ value }) => value === name);
      const any = wanted.find(({ value }) => value === '*');
      return { name, place: own?.place ?? place + wanted.length, q: (own ?? any)?.q ?? 0 };
    })
    .filter(({ q }) => q > 0)
    .sort((a, b) => b.q - a.q || a.place - b.place);
  return best?.name;
}

interface Weighed {
  readonly value: string;
  readonly q: number;
  readonly place: number;
}

/** The values of a header with their weights, in order. */
function weighed(header: string): readonly Weighed[] {
  return header
    .split(',')
    .map((range, place) => {
      const [value = '', ...parameters] = range
        .split(';')
        .map((piece) => piece.trim().toLowerCase());
      const q = parameters.find((parameter) => parameter.startsWith('q='));
      return { value, q: q === undefined ? 1 : Number(q.slice(2)), place };
    })
    .filter(({ value, q }) => value !== '' && q >= 0);
}

/** The most specific range that a type is in decides. */
function preference(ranges: readonly Weighed[], type: string): { q: number; place: number } {
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const range of [type, group, '*/*']) {
    const found = ranges.find(({ value }) => value === range);
    if (found) return found;
  }
  return { q: 0, place: 0 };
}
