import { Logger, Module, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { openPages } from './open-pages.js';

@Module({})
class Described {}

describe('the pages that describe an app', () => {
  it('leave the logger of the process as it is', async () => {
    const lines: unknown[] = [];
    const note = (line: unknown): void => void lines.push(line);
    const logger: LoggerService = { log: note, error: note, warn: note };
    const app = await NestFactory.create<NestFastifyApplication>(Described, new FastifyAdapter(), {
      logger,
    });
    const terms = {
      title: 'Title',
      description: 'Description',
      parameters: {},
      headers: [],
      everywhere: {},
    };
    const pages = await openPages(app, terms);
    new Logger('failed-logins').error('still told');
    expect(lines).toContain('still told');
    await pages.close();
    await app.close();
  });
});
