import type { FastifyInstance } from 'fastify';
import type { ResultFormat } from '@app/warehouse';

const MEDIA_TYPES: Readonly<Record<Exclude<ResultFormat, 'text'>, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  'arrow-stream': 'application/vnd.apache.arrow.stream',
  'arrow-file': 'application/vnd.apache.arrow.file',
  parquet: 'application/parquet',
};

/** A client that names one of these has chosen. */
const FORMATS = ['json', 'csv', 'arrow', 'parquet'];

/** Tools that name nothing, and browsers: these name pages first, and anything last. */
const TAKES_ANYTHING = /^\s*(?:\*\/\*|text\/(?:html|plain)\b.*)$/;

/** Callers that take anything get the format that the program was started with. */
export function preferFormat(
  fastify: Pick<FastifyInstance, 'addHook'>,
  format: ResultFormat,
): void {
  if (format === 'json' || format === 'text') return;
  const type = MEDIA_TYPES[format];
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { accept = '*/*' } = request.headers;
    const names = FORMATS.some((each) => accept.includes(each));
    if (!names && TAKES_ANYTHING.test(accept)) request.headers.accept = `${type}, */*;q=0.1`;
    done();
  });
}
