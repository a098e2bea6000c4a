import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { ApiTerms } from './api-terms.js';

/** These headers belong to one connection, so they are written anew for the client. */
const OF_A_CONNECTION = new Set(['connection', 'transfer-encoding']);
const PATHS = ['/docs', '/docs/*', '/openapi.json', '/openapi.yaml'];
const NOT_FOUND = 404;

/**
 * Serves the OpenAPI document of an app and the page `/docs`, both open to all. What makes them takes
 * as long to load as much of a start does, so an app of its own is made for them, within this one,
 * when somebody first asks.
 */
export function serveDocs(app: NestFastifyApplication, terms: ApiTerms): void {
  let opened: Promise<FastifyInstance> | undefined;
  const pages = (): Promise<FastifyInstance> => {
    opened ??= import('./open-pages.js').then(({ openPages }) => openPages(app, terms));
    opened.catch(() => (opened = undefined));
    return opened;
  };
  const fastify = app.getHttpAdapter().getInstance();
  for (const path of PATHS)
    fastify.get(path, async ({ url, headers }, reply) => {
      const { accept, 'if-none-match': tag } = headers;
      const asked = { ...(accept && { accept }), ...(tag && { 'if-none-match': tag }) };
      const answer = await (await pages()).inject({ method: 'GET', url, headers: asked });
      if (answer.statusCode === NOT_FOUND) {
        reply.callNotFound();
        return reply;
      }
      const own = Object.entries(answer.headers).filter(([name]) => !OF_A_CONNECTION.has(name));
      return reply
        .status(answer.statusCode)
        .headers(Object.fromEntries(own))
        .send(answer.rawPayload);
    });
}
