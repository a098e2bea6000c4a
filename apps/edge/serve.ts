import type { Follower } from '@app/edge';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { corsFor, httpAdapter, listenFailure } from '@app/http';
import { drain, measureProcess, MillraceError, nestLogger, Readiness } from '@app/platform';
import { serveDocs } from '@app/openapi';
import { Catalog, QueryPipeline } from '@app/query';
import { EdgeAppModule } from './edge-app.module.js';
import { EDGE_TERMS } from './edge-terms.js';
import { openDoors, type Doors } from './open-doors.js';
import type { Components } from './open-components.js';
import { preferFormat } from './prefer-format.js';

const IDLE_SECONDS = 60;

interface Serving {
  readonly url: string;
  /** Sentences about the clients that ask by other protocols than HTTP. */
  readonly told: readonly string[];
  /** Open requests must end within this time, or they are cut off. */
  stop(): Promise<void>;
}

/** Listens. @throws {Error} when it cannot */
export async function serve(components: Components): Promise<Serving> {
  const { config, logger } = components;
  measureProcess();
  const adapter = httpAdapter(
    {
      trustedProxies: [],
      pages: { origins: config.cors, setting: '--cors' },
      idleSeconds: IDLE_SECONDS,
      traced: false,
    },
    logger,
  );
  preferFormat(adapter.getInstance(), config.responseFormat);
  const app = await NestFactory.create<NestFastifyApplication>(
    EdgeAppModule.of(components),
    adapter,
    {
      logger: nestLogger(logger),
      bodyParser: false,
      abortOnError: false,
    },
  );
  if (config.cors.length > 0) app.enableCors(corsFor(config.cors));
  serveDocs(app, EDGE_TERMS);
  if (components.follower) tellOfFollowing(app.get(Readiness), components.follower);
  await app.listen(config.http.port, config.http.host).catch(listenFailure('--addr-http'));
  const queries = app.get(QueryPipeline, { strict: false });
  const catalog = app.get(Catalog, { strict: false });
  const doors = await openDoors({ queries, catalog }, components);
  return { url: await app.getUrl(), told: doors.told, stop: () => stop(app, doors) };
}

async function stop(app: NestFastifyApplication, doors: Doors): Promise<void> {
  app.get(Readiness).notReady('server', 'stopping');
  await Promise.all([doors.close(), drain(app)]);
}

/**
 * Lets `/readyz` fail while the program has nothing to answer from. Afterwards `/readyz` tells how
 * old the followed tables are.
 */
function tellOfFollowing(readiness: Readiness, follower: Follower): void {
  readiness.watch('follow', () => {
    const { isReady, lastError } = follower.state();
    if (!isReady) throw new MillraceError('NOT_READY', lastError ?? 'nothing has been read yet');
  });
  readiness.tell('follow', () => {
    const { streams, passedOver, ageSeconds, failures, lastError } = follower.state();
    return {
      streams,
      age_seconds: ageSeconds === undefined ? null : Math.round(ageSeconds),
      failures,
      ...(passedOver.length > 0 && { passed_over: passedOver }),
      ...(lastError !== undefined && { last_error: lastError }),
    };
  });
}
