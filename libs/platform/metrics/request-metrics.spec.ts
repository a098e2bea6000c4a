import { metricsText } from './registry.js';
import { formatOf, frontendOf } from './request-metrics.js';

describe('a request is counted', () => {
  it.each([
    ['/api/:org/sql', 'sql'],
    ['/api/:org/tables/:table', 'tables'],
    ['/api/:org/graphql', 'graphql'],
    ['/api/:org/_search', 'search'],
    ['/api/:org/_search_partition', 'search_partition'],
    ['/api/:org/:stream/_values', 'values'],
    ['/api/:org/:stream/_around', 'around'],
    ['/api/:org/:stream/_rejected', 'rejected'],
    ['/api/:org/schema', 'schema'],
    ['/api/:org/schema/:table', 'schema'],
    ['/api/:org/kv/*', 'kv'],
    ['/api/sql', 'sql'],
    ['/api/tables/:table', 'tables'],
    ['/api/:org/users', undefined],
    ['/api/:org/:stream/_json', undefined],
  ])('%s as a query of %s', (route, frontend) => expect(frontendOf(route)).toBe(frontend));

  it.each([
    ['/api/:org/:stream/_json', 'json'],
    ['/api/:org/:stream/_delta_lake', 'delta_lake'],
    ['/api/:org/_bulk', 'bulk'],
    ['/api/:org/sql', undefined],
  ])('%s as an upload of %s', (route, format) => expect(formatOf(route)).toBe(format));

  it.each([
    ['GET', 500],
    ['POST', 503],
    ['PUT', 503],
    ['DELETE', 500],
  ])(
    'from the start, so that a rate includes the first %s that fails by %i',
    async (method, status) => {
      const { text } = await metricsText();
      expect(text).toContain(
        `millrace_http_responses_total{method="${method}",status="${status}"} 0`,
      );
    },
  );

  it('by its duration from the start, where it fails', async () => {
    const { text } = await metricsText();
    for (const labels of [
      'query_duration_seconds_count{frontend="sql",outcome="failed"} 0',
      'upload_duration_seconds_count{format="json",outcome="failed"} 0',
    ])
      expect(text).toContain(`millrace_${labels}`);
  });
});
