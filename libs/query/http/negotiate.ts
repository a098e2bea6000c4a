import { MillraceError } from '@app/platform';
import type { ResultFormat } from '@app/warehouse';

const FORMATS: readonly (readonly [string, ResultFormat])[] = [
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/jsonlines', 'ndjson'],
  ['text/csv', 'csv'],
  ['application/csv', 'csv'],
];

export interface Negotiated {
  readonly format: ResultFormat;
  readonly contentType: string;
}

/** Chooses the answer's format by the Accept header. @throws {MillraceError} INVALID_PARAMETER when none fits. */
export function negotiateFormat(accept: string | undefined): Negotiated {
  for (const range of ranked(accept ?? '*/*')) {
    for (const [type, format] of FORMATS) {
      if (matches(range, type)) return { format, contentType: `${type}; charset=utf-8` };
    }
  }
  throw new MillraceError(
    'INVALID_PARAMETER',
    `none of Accept: ${accept} can be sent; ask for ${FORMATS.map(([type]) => type).join(', ')}`,
  );
}

export type ContentEncoding = 'gzip' | 'br';

/** Chooses a content encoding by the Accept-Encoding header; none unless asked for. */
export function negotiateEncoding(acceptEncoding: string | undefined): ContentEncoding | undefined {
  const wanted = ranked(acceptEncoding ?? '');
  return wanted.find((name): name is ContentEncoding => name === 'gzip' || name === 'br');
}

/** Values of a header by falling q; those with q=0 are out. */
function ranked(header: string): readonly string[] {
  return header
    .split(',')
    .map((part) => {
      const [value = '', ...parameters] = part
        .split(';')
        .map((piece) => piece.trim().toLowerCase());
      const q = parameters.find((parameter) => parameter.startsWith('q='));
      return { value, q: q === undefined ? 1 : Number(q.slice(2)) };
    })
    .filter(({ value, q }) => value !== '' && q > 0)
    .sort((a, b) => b.q - a.q)
    .map(({ value }) => value);
}

function matches(range: string, type: string): boolean {
  return (
    range === '*/*' ||
    range === type ||
    (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))
  );
}
