import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { ApiTerms } from './api-terms.js';
import { serveOpenApi } from './serve-openapi.js';

@Module({})
class NothingElse {}

/** An app that has the pages and nothing else, and does not listen. @param of the app that they describe */
export async function openPages(
  of: NestFastifyApplication,
  terms: ApiTerms,
): Promise<FastifyInstance> {
  // An app with a logger of its own, or with none, would take that of the whole process away.
  const app = await NestFactory.create<NestFastifyApplication>(NothingElse, new FastifyAdapter(), {
    abortOnError: false,
  });
  serveOpenApi(app, terms, of);
  await app.init();
  const instance = app.getHttpAdapter().getInstance();
  await instance.ready();
  return instance;
}
