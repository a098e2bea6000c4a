import type { FastifyInstance } from 'fastify';

interface RoutePath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/** Paths of a server's routes, by their patterns. */
const PATHS = new WeakMap<FastifyInstance['server'], Map<string, RoutePath>>();

/**
 * Remembers every route that is registered from now on, so that a wrong method can be told from a
 * wrong path.
 */
export function rememberRoutes(fastify: FastifyInstance): void {
  const paths = new Map<string, RoutePath>();
  PATHS.set(fastify.server, paths);
  fastify.addHook('onRoute', ({ url, method }) => {
    // The route that answers preflights matches every path, so it says nothing about the path.
    if (url === '*') return;
    const path = paths.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
    paths.set(url, path);
    for (const each of [method].flat()) path.methods.add(each);
  });
}

/** The methods that the server's routes take at a path, by name; none if there is no such path. */
export function methodsAt(server: FastifyInstance['server'], path: string): readonly string[] {
  const found = [...(PATHS.get(server)?.values() ?? [])].filter(({ pattern }) =>
    pattern.test(path),
  );
  return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
}

/**
 * A parameter matches one segment, and `*` matches the rest. A slash at the end makes no
 * difference.
 */
function patternOf(url: string): RegExp {
  const pieces = url.replace(/\/$/, '').split(/(:\w+|\*)/);
  const sources = pieces.map((piece, index) => {
    if (index % 2 === 0) return piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return piece === '*' ? '.*' : '[^/]+';
  });
  return new RegExp(`^${sources.join('')}/?$`);
}
