import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ERROR_STATUS } from '../errors/errors.js';
import { counter, histogram } from './registry.js';

const responses = counter({
  name: 'millrace_http_responses_total',
  help: 'Answers by status',
  labelNames: ['method', 'status'],
  collect: takeAnswers,
});
/** Numbers of answers by status and method that the metric does not have yet: its own count takes a tenth of the time of a small answer. */
const answers = new Map<string | number, Map<string, number>>();
// A rate does not see the step by which a series appears, so those of our faults are there before, here and below.
for (const method of ['GET', 'POST', 'PUT', 'DELETE'])
  for (const status of new Set<number>(Object.values(ERROR_STATUS)))
    if (status >= 500) responses.inc({ method, status }, 0);
const queries = histogram({
  name: 'millrace_query_duration_seconds',
  help: 'From a query’s first byte to its answer’s last. Outcome: ok, refused (4xx), failed (5xx), cut (the client left, or rows failed half-way)',
  labelNames: ['frontend', 'outcome'],
});
const uploads = histogram({
  name: 'millrace_upload_duration_seconds',
  help: 'From an upload’s first byte to its answer’s last. Outcome as of queries',
  labelNames: ['format', 'outcome'],
});

const FRONTENDS = 'sql tables graphql search search_partition values around rejected schema kv'.split(' '); // prettier-ignore
const FORMATS = 'json multi csv parquet delta_lake bulk'.split(' ');
for (const frontend of FRONTENDS) queries.zero({ frontend, outcome: 'failed' });
for (const format of FORMATS) uploads.zero({ format, outcome: 'failed' });

/** The last words of a route, which show the frontend or the format. */
const FRONTEND =
  /\/(?:(sql)|(tables)\/:\w+|(graphql)|_(search(?:_partition)?|values|around|rejected)|(schema)(?:\/:\w+)?|(kv)\/.*)$/;
const FORMAT = new RegExp(`/_(${FORMATS.join('|')})$`);

type Outcome = 'ok' | 'refused' | 'failed' | 'cut';

/** Measures every request of a server: of the hosted service, or of the edge program. */
export function measureRequests(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now();
    // The event comes after the last byte, or when the client leaves earlier.
    reply.raw.on('close', () => observe(request, reply, (performance.now() - startedAt) / 1000));
    done();
  });
}

function observe(request: FastifyRequest, reply: FastifyReply, seconds: number): void {
  const outcome = outcomeOf(reply);
  countAnswer(reply.raw.headersSent ? reply.raw.statusCode : 'none', methodOf(request));
  const { frontend, format } = kindOf(request.routeOptions.url ?? '');
  if (frontend !== undefined) queries.observe({ frontend, outcome }, seconds);
  else if (format !== undefined) uploads.observe({ format, outcome }, seconds);
}

function countAnswer(status: number | 'none', method: string): void {
  const byMethod = answers.get(status) ?? new Map<string, number>();
  if (byMethod.size === 0) answers.set(status, byMethod);
  byMethod.set(method, (byMethod.get(method) ?? 0) + 1);
}

function takeAnswers(): void {
  for (const [status, byMethod] of answers)
    for (const [method, count] of byMethod)
      responses.inc({ method, status: String(status) }, count);
  answers.clear();
}

interface RouteKind {
  readonly frontend: string | undefined;
  readonly format: string | undefined;
}

/** The server has so many patterns, and each is looked at once. */
const kinds = new Map<string, RouteKind>();

function kindOf(route: string): RouteKind {
  const known = kinds.get(route) ?? { frontend: frontendOf(route), format: formatOf(route) };
  kinds.set(route, known);
  return known;
}

/** @param route its pattern, as `/api/:org/tables/:table` */
export function frontendOf(route: string): string | undefined {
  return FRONTEND.exec(route)
    ?.slice(1)
    .find((each) => each !== undefined);
}

/** @param route its pattern */
export function formatOf(route: string): string | undefined {
  return FORMAT.exec(route)?.[1];
}

function outcomeOf({ raw }: FastifyReply): Outcome {
  if (!raw.writableFinished) return 'cut';
  if (raw.statusCode >= 500) return 'failed';
  return raw.statusCode >= 400 ? 'refused' : 'ok';
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const methodOf = ({ method }: FastifyRequest): string => (METHODS.has(method) ? method : 'other');
