import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { closeOnSignal, readConfig } from '@app/platform';
import { ApiModule } from './api.module.js';

const { http } = readConfig();
const app = await NestFactory.create<NestFastifyApplication>(ApiModule, new FastifyAdapter(), {
  logger: ['error', 'warn'],
});
closeOnSignal(() => app.close());
await app.listen(http.port, http.host);
console.log(`millrace listening on ${await app.getUrl()}`);
