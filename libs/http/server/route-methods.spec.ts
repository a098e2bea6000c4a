import Fastify from 'fastify';
import { methodsAt, rememberRoutes } from './route-methods.js';

describe('methods of a path', () => {
  const fastify = Fastify();
  rememberRoutes(fastify);
  const answer = (): string => 'here';
  fastify.get('/api/:org/streams', answer);
  fastify.delete('/api/:org/:stream', answer);
  fastify.post('/api/:org/:stream/_doc', answer);
  fastify.get('/kv/*', answer);
  fastify.get('/openapi.json', answer);
  afterAll(() => fastify.close());

  it.each([
    ['/api/a/streams', ['DELETE', 'GET', 'HEAD']],
    ['/api/a/streams/', ['DELETE', 'GET', 'HEAD']],
    ['/api/a/%E2%82%AC', ['DELETE']],
    ['/api/a/logs/_doc', ['POST']],
    ['/api/a/logs/_docs', []],
    ['/api/a', []],
    ['/kv/a/b', ['GET', 'HEAD']],
    ['/openapi.json', ['GET', 'HEAD']],
    ['/openapiXjson', []],
  ])('at %s are %j', (path, methods) => {
    expect(methodsAt(fastify.server, path)).toEqual(methods);
  });
});
