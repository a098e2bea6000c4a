import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { ApiTerms } from '@app/openapi';

const TERMS: ApiTerms = {
  title: 'Millrace edge',
  description: `Query files, folders, object stores and databases as tables.

Where the program was started with \`--token\`, requests need it: \`Authorization: Bearer <token>\`, or HTTP Basic with the token as password. Failures are JSON: \`{"code", "message", "error_detail"?}\`. Every response says its \`X-Request-Id\`.`,
  parameters: {
    table: { description: 'Name of the table', example: 'cities' },
    store: { description: 'Name of the key-value store', example: 'titles' },
    key: { description: 'What is looked up', example: 'a' },
  },
  everywhere: {
    401: ['UNAUTHORIZED', 'the token is missing or wrong; send Authorization: Bearer <token>'],
    403: [
      'FORBIDDEN',
      'without --token the program answers to localhost, 127.0.0.1 and [::1] only; call it by one of these names, or start it with --token',
    ],
  },
};

/** Said anew to whoever asked. */
const OF_A_CONNECTION = new Set(['connection', 'transfer-encoding']);
const PATHS = ['/docs', '/docs/*', '/openapi.json', '/openapi.yaml'];

@Module({})
class NothingElse {}

/**
 * The pages that the hosted service has at `/docs`. What makes them takes as long to load as a start
 * does, so an app of its own is made for them, within this one, when somebody first asks.
 */
export function serveDocs(app: NestFastifyApplication): void {
  let opened: Promise<FastifyInstance> | undefined;
  const pages = (): Promise<FastifyInstance> => {
    opened ??= openPages(app);
    opened.catch(() => (opened = undefined));
    return opened;
  };
  const fastify = app.getHttpAdapter().getInstance();
  for (const path of PATHS)
    fastify.get(path, async ({ url, headers }, reply) => {
      const { accept, 'if-none-match': tag } = headers;
      const asked = { ...(accept && { accept }), ...(tag && { 'if-none-match': tag }) };
      const answer = await (await pages()).inject({ method: 'GET', url, headers: asked });
      const own = Object.entries(answer.headers).filter(([name]) => !OF_A_CONNECTION.has(name));
      return reply
        .status(answer.statusCode)
        .headers(Object.fromEntries(own))
        .send(answer.rawPayload);
    });
}

async function openPages(of: NestFastifyApplication): Promise<FastifyInstance> {
  const { serveOpenApi } = await import('@app/openapi');
  const app = await NestFactory.create<NestFastifyApplication>(NothingElse, new FastifyAdapter(), {
    logger: false,
  });
  serveOpenApi(app, TERMS, of);
  await app.init();
  const instance = app.getHttpAdapter().getInstance();
  await instance.ready();
  return instance;
}
