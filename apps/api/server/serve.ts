import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';
import { CommandBus } from '@nestjs/cqrs';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { EnsureRoot, NarrowDefault, type RootCredentials } from '@app/identity';
import { ForeignUploadsPipeline } from '@app/intake';
import { serveDocs } from '@app/openapi';
import { GroupInserter, measureWriter, WritePipeline, WriteProgress } from '@app/writer';
import {
  corsFor,
  followTlsFiles,
  httpAdapter,
  listenFailure,
  measureCertificate,
  openStatusServer,
} from '@app/http';
import {
  closeOnSignal,
  createLogger,
  drain,
  endOnUnhandledRejection,
  nestLogger,
  OperatorError,
  startTracing,
} from '@app/platform';
import { readConfig } from '@app/config';
import { ClickHouseListener, readClickHouseCredentials } from '@app/query';
import { API_TERMS } from './api-terms.js';
import { ApiModule } from './api.module.js';
import { openComponents } from '../components/open-components.js';
import { serveOperators } from '../backups/serve-operators.js';

/** Serves until a signal. @throws {Error} when the server cannot start */
export async function serve(): Promise<void> {
  const config = readConfig();
  if (!config.roles.has('api'))
    throw new OperatorError(
      'MILLRACE_ROLES has no api: a writer of its own is `millrace serve` with MILLRACE_ROLES=writer, a projector with MILLRACE_ROLES=projector',
    );
  const logger = createLogger(config.logLevel);
  endOnUnhandledRejection(logger);
  const tracing = await startTracing(config.tracesTo, 'millrace-api', logger);
  const components = await openComponents(config, logger);
  const clickHouse = config.clickHouseClients && new ClickHouseListener();
  const app = await NestFactory.create<NestFastifyApplication>(
    ApiModule.of(components),
    httpAdapter(
      {
        ...config.http,
        pages: { origins: config.http.corsOrigins, setting: 'MILLRACE_CORS_ORIGINS' },
        idleSeconds: config.upload.idleSeconds,
        traced: config.tracesTo !== undefined,
        tls: config.http.tls?.pair,
        pathOf: clickHouse && ((request) => clickHouse.pathOf(request)),
      },
      logger,
    ),
    {
      logger: nestLogger(logger),
      bodyParser: false,
      abortOnError: false,
    },
  );
  if (config.http.corsOrigins.length > 0) app.enableCors(corsFor(config.http.corsOrigins));
  serveDocs(app, API_TERMS);
  readClickHouseCredentials(app.getHttpAdapter().getInstance());
  await app.init();
  const { email, password } = config.root;
  const root = await app
    .get(CommandBus)
    .execute<EnsureRoot, RootCredentials>(new EnsureRoot(email, password, config.dataDirectory));
  await app.get(CommandBus).execute<NarrowDefault, void>(new NarrowDefault());
  const inserter = new GroupInserter(
    components.warehouse,
    components.spool.folder('writer'),
    components.streams,
    components.warehouse,
  );
  const writer = new WritePipeline(
    components.queue,
    inserter,
    components.deadLetter,
    app.get(WriteProgress),
    logger,
  );
  measureWriter({ writer, deadLetter: components.deadLetter });
  if (config.roles.has('writer')) writer.start();
  const isFed = (config.kafka?.uploadOrganizations.size ?? 0) > 0;
  const foreign = components.foreign && isFed ? app.get(ForeignUploadsPipeline) : undefined;
  foreign?.start(logger);
  const status = config.status && (await openStatusServer(config.status, components.readiness));
  const [{ tls }, server] = [config.http, app.getHttpServer() as object];
  measureCertificate(
    tls && server instanceof TlsServer
      ? followTlsFiles(server, tls.files, tls.pair, logger)
      : undefined,
  );
  const operators = await serveOperators(components, logger);
  closeOnSignal(async (signal) => {
    components.readiness.notReady('server', 'stopping');
    // Somebody waits for the end after Ctrl-C. A supervisor gives a proxy the time to notice.
    if (signal === 'SIGTERM') await sleep(config.drainSeconds * 1000);
    await operators?.close();
    await drain(app, clickHouse);
    await foreign?.stop();
    await writer.stop();
    await components.close();
    await tracing.stop();
    status?.close();
  }, config.drainSeconds);
  await app.listen(config.http.port, config.http.host).catch(listenFailure('MILLRACE_HTTP_ADDR'));
  console.log(`Millrace listens on ${await app.getUrl()}`);
  if (config.clickHouseClients) {
    const at = await clickHouse
      ?.open(app.getHttpServer(), config.clickHouseClients)
      .catch(listenFailure('MILLRACE_CLICKHOUSE_ADDR'));
    console.log(`clients of ClickHouse find it at ${at}`);
  }
  if (status) console.log(`its health and metrics are at ${status.url}`);
  console.log(greeting(root));
}

function greeting({ email, password, file }: RootCredentials): string {
  if (password === undefined) {
    return `root user: ${email}${file === undefined ? '' : ` (password in ${file})`}`;
  }
  return `root user: ${email}, password: ${password}${file === undefined ? '' : ` (kept in ${file})`}`;
}
