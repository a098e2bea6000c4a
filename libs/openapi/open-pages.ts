import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { ApiTerms } from './api-terms.js';
import { serveOpenApi } from './serve-openapi.js';

@Module({})
class NothingElse {}

/**
 * Starts an app that has only these pages, and does not listen.
 * @param of the app that they describe
 */
export async function openPages(
  of: NestFastifyApplication,
  terms: ApiTerms,
): Promise<FastifyInstance> {
  // An app with a logger of its own, or without one, would replace the logger of the whole process.
  const app = await NestFactory.create<NestFastifyApplication>(NothingElse, new FastifyAdapter(), {
    abortOnError: false,
  });
  serveOpenApi(app, terms, of);
  await app.init();
  const instance = app.getHttpAdapter().getInstance();
  await instance.ready();
  return instance;
}
