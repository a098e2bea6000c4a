import { routeHint } from './route-hints.js';

/** Some of the server's routes, as a pattern with the methods that it takes. */
const ROUTES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^\/api\/[^/]+\/[^/]+\/_json$/, ['POST']],
  [/^\/api\/[^/]+\/[^/]+\/_doc\/[^/]+$/, ['POST', 'PUT']],
  [/^\/api\/[^/]+\/(?:_bulk|sql|v1\/logs|loki\/api\/v1\/push)$/, ['POST']],
  [/^\/api\/[^/]+\/tables\/[^/]+$/, ['GET', 'HEAD']],
  [/^\/api\/[^/]+\/kv\/[^/]+\/[^/]+$/, ['GET', 'HEAD']],
  [/^\/api\/[^/]+\/[^/]+$/, ['DELETE', 'HEAD', 'PUT']],
];

const methodsAt = (path: string): readonly string[] =>
  ROUTES.flatMap(([pattern, methods]) => (pattern.test(path) ? methods : []));

describe('a path that is not there', () => {
  it.each([
    ['POST', '/v1/logs', 'did you mean /api/{organization}/v1/logs?'],
    ['POST', '/_bulk', 'did you mean /api/{organization}/_bulk?'],
    ['POST', '/shop/_json', 'did you mean /api/{organization}/shop/_json?'],
    ['POST', '/api/shop/_json', 'did you mean /api/{organization}/shop/_json?'],
    ['POST', '/api/_bulk', 'did you mean /api/{organization}/_bulk?'],
    ['POST', '/api/loki/api/v1/push', 'did you mean /api/{organization}/loki/api/v1/push?'],
    ['POST', '/api/acme//loki/api/v1/push', 'did you mean /api/acme/loki/api/v1/push?'],
    ['POST', '//api/acme///shop/_json', 'did you mean /api/acme/shop/_json?'],
    ['GET', '/api/tables/shop', 'did you mean /api/{organization}/tables/shop?'],
    ['GET', '/api/kv/shop/tea', 'did you mean /api/{organization}/kv/shop/tea?'],
    ['GET', '/api/acme/loki/api/v1/query_range', 'rows are asked for in SQL: POST /api/acme/sql'],
    ['GET', '/loki/api/v1/labels', 'rows are asked for in SQL: POST /api/{organization}/sql'],
    ['POST', '/api/acme/prometheus/api/v1/query', 'rows are asked for in SQL: POST /api/acme/sql'],
    ['POST', '/v0/events', 'records go to POST /api/{organization}/{stream}/_json'],
    ['GET', '/v0/sql', 'rows are asked for in SQL: POST /api/{organization}/sql'],
    ['GET', '/v0/pipes/top.json', 'rows are asked for in SQL: POST /api/{organization}/sql'],
    ['POST', '/sql', 'did you mean /api/{organization}/sql?'],
    ['POST', '/api/acme/shop', 'records go to POST /api/acme/shop/_json'],
    ['POST', '/api/acme/shop/_search', 'rows are asked for in SQL: POST /api/acme/sql'],
    ['POST', '/api/acme/_msearch', 'rows are asked for in SQL: POST /api/acme/sql'],
    ['GET', '/api/acme/shop/_doc/7', 'rows are asked for in SQL: POST /api/acme/sql'],
    ['DELETE', '/api/acme/shop/_doc/7', "a stream's records stay as they came; send index or create"], // prettier-ignore
    ['POST', '/api/acme/shop/_update/7', "a stream's records stay as they came; send index or create"], // prettier-ignore
  ])('%s %s: %s', (method, path, hint) => {
    expect(routeHint({ method, path }, methodsAt)).toBe(hint);
  });

  it.each([
    ['GET', '/api/acme/shop/_mapping', /GET \/api\/acme\/streams lists/],
    ['GET', '/api/acme/_cat/indices', /GET \/api\/acme\/streams lists/],
    ['PUT', '/api/acme/_ingest/pipeline/p', /no need/],
  ])('%s %s is told what there is instead', (method, path, hint) => {
    expect(routeHint({ method, path }, methodsAt)).toMatch(hint);
  });

  it.each([
    ['GET', '/nowhere'],
    ['DELETE', '/nowhere'],
    ['PUT', '/favicon.ico'],
    ['GET', '/api'],
    ['GET', '/api/'],
    ['GET', '/api/acme'],
    ['POST', '/api/acme/shop/nothing'],
    ['GET', '/api/acme/shop/_nothing'],
    ['GET', '//'],
    ['GET', '//nowhere'],
    ['GET', '/v0/datasources'],
    ['GET', '/api/acme/loki/api/v1/push'],
    ['GET', '*'],
  ])('%s %s is told nothing more', (method, path) => {
    expect(routeHint({ method, path }, methodsAt)).toBeUndefined();
  });
});
