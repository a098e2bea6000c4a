import { once } from 'node:events';
import { connect } from 'node:net';
import { Controller, Get, Param, Post, Res, UnauthorizedException } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { pino } from 'pino';
import { z } from 'zod';
import { ErrorFilter } from '../failures/error-filter.js';
import { MillraceError, type ErrorBody } from '@app/platform';
import { httpAdapter } from './http-server.js';

const FAILURES: Readonly<Record<string, () => unknown>> = {
  own: () =>
    new MillraceError('QUEUE_FULL', 'the queue is full', { retryAfterSeconds: 7, detail: 'here' }),
  unauthorized: () => new MillraceError('UNAUTHORIZED', 'who are you?'),
  nest: () => new UnauthorizedException('secret reason'),
  zod: () => z.object({ size: z.number() }).safeParse({ size: 'big' }).error,
  bug: () => new TypeError('secret at /home/somebody'),
  nothing: () => undefined,
  text: () => 'secret text',
};

@Controller()
class ProbeController {
  @Get('fails/:how')
  fails(@Param('how') how: string): never {
    throw FAILURES[how]?.();
  }

  @Get('works')
  works(): { fine: boolean } {
    return { fine: true };
  }

  @Get('left')
  async left(@Res() reply: FastifyReply): Promise<never> {
    await once(reply.raw, 'close');
    return AbortSignal.abort().throwIfAborted() as never;
  }

  @Post('refuses')
  refuses(): never {
    throw new MillraceError('FORBIDDEN', 'not you');
  }
}

describe('the HTTP server', () => {
  const log: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line) => log.push(line) });
  let app: NestFastifyApplication;

  beforeAll(async () => {
    const testing = await Test.createTestingModule({
      controllers: [ProbeController],
      providers: [
        { provide: APP_FILTER, useValue: new ErrorFilter(logger, () => Promise.resolve()) },
      ],
    }).compile();
    app = testing.createNestApplication<NestFastifyApplication>(
      httpAdapter(
        {
          trustedProxies: [],
          pages: { origins: [], setting: 'MILLRACE_CORS_ORIGINS' },
          idleSeconds: 60,
          traced: false,
        },
        logger,
      ),
      {
        bodyParser: false,
        logger: false,
      },
    );
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());

  async function get(path: string, headers: Record<string, string> = {}) {
    const answer = await app.inject({ method: 'GET', url: path, headers });
    return { status: answer.statusCode, headers: answer.headers, body: answer.json<ErrorBody>() };
  }

  /** Gives the server's answer to these bytes, until it closes the connection. */
  async function exchange(bytes: string): Promise<string> {
    const { port } = app.getHttpServer().address() as { port: number };
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    let answer = '';
    socket.on('data', (piece: string) => (answer += piece));
    socket.write(bytes);
    await once(socket, 'close');
    return answer;
  }

  it('says the request’s id, the client’s or its own, on every answer', async () => {
    const own = /^[0-9a-f-]{36}$/;
    for (const path of ['/works', '/fails/own', '/fails/bug', '/nowhere', '/bad%zzurl'])
      expect((await get(path)).headers['x-request-id']).toMatch(own);
    const sent = await get('/works', { 'X-Request-Id': 'job-17' });
    expect(sent.headers['x-request-id']).toBe('job-17');
    const broken = await get('/works', { 'X-Request-Id': 'job 17' });
    expect(broken.headers['x-request-id']).toMatch(own);
  });

  it('answers our errors with their status, detail and Retry-After', async () => {
    const { status, headers, body } = await get('/fails/own');
    expect(status).toBe(503);
    expect(headers).toMatchObject({
      'retry-after': '7',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(body).toEqual({ code: 503, message: 'the queue is full', error_detail: 'here' });
  });

  it('asks for Basic credentials with every 401', async () => {
    for (const path of ['/fails/unauthorized', '/fails/nest']) {
      const { status, headers, body } = await get(path);
      expect([status, body.code, headers['www-authenticate']]).toEqual([
        401,
        401,
        'Basic realm="millrace"',
      ]);
    }
  });

  it('says which field a schema refuses', async () => {
    const { status, body } = await get('/fails/zod');
    expect([status, body.message]).toEqual([400, expect.stringContaining('size')]);
  });

  it('tells nothing of what is unexpected, but the id to find it by', async () => {
    for (const how of ['bug', 'nothing', 'text']) {
      const { status, headers, body } = await get(`/fails/${how}`);
      expect([status, body]).toEqual([
        500,
        {
          code: 500,
          message: `something went wrong on our side; tell us request id ${String(headers['x-request-id'])}`,
        },
      ]);
    }
  });

  it('takes a client that leaves for no failure', async () => {
    log.length = 0;
    const { port } = app.getHttpServer().address() as { port: number };
    const socket = connect(port, '127.0.0.1');
    const came = once(app.getHttpServer(), 'request');
    socket.write('GET /left HTTP/1.1\r\nHost: a\r\n\r\n');
    await came;
    socket.destroy();
    const told = async (): Promise<void> => {
      while (!log.some((line) => /left"|something went wrong/.test(line)))
        await new Promise(setImmediate);
    };
    await told();
    expect(log.map((line) => (JSON.parse(line) as { level: number }).level)).not.toContain(50);
  });

  it('logs the stack of what is unexpected under the request’s id, and no credentials', async () => {
    log.length = 0;
    const authorization = `Basic ${Buffer.from('root:Secret-77').toString('base64')}`;
    await get('/fails/bug', { 'X-Request-Id': 'job-18', authorization });
    expect(log.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({
        requestId: 'job-18',
        method: 'GET',
        url: '/fails/bug',
        kind: 'INTERNAL',
        err: expect.objectContaining({ stack: expect.stringContaining('at ') as string }) as object,
      }),
      expect.objectContaining({ requestId: 'job-18', status: 500, msg: 'answered' }),
    ]);
    expect(log.join()).not.toContain(authorization);
  });

  it('has the same shape where no route is reached', async () => {
    expect((await get('/nowhere?token=1')).body).toEqual({
      code: 404,
      message: 'no such route: GET /nowhere',
    });
    expect(await get('/bad%zzurl')).toMatchObject({ status: 400, body: { code: 400 } });
    const put = await app.inject({ method: 'PUT', url: '/works', payload: 'x' });
    expect([put.statusCode, put.json<ErrorBody>().code, put.headers.allow]).toEqual([
      405,
      405,
      'GET, HEAD',
    ]);
    expect(await get(`/fails/${'x'.repeat(500)}`)).toMatchObject({
      status: 400,
      body: { code: 400 },
    });
  });

  it.each([
    ['GET /works HTTP/1.1\r\nConnection: close', 400, 'the request has no header Host; send one'],
    [
      'POST /refuses HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\nContent-Length: 2',
      417,
      'the header Expect may ask for 100-continue and nothing else; leave it out',
    ],
    [
      'QUERY /works HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0',
      405,
      'no such route: QUERY /works; this path takes GET, HEAD',
    ],
    [
      'QUERY /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close',
      404,
      'no such route: QUERY /nowhere',
    ],
    [
      'GET /works%ff HTTP/1.1\r\nHost: a\r\nConnection: close',
      400,
      'the path is no percent-encoded UTF-8; write a percent sign in it as %25',
    ],
  ])('has the same shape for what Node.js or Fastify would answer: %s', async (head, code, why) => {
    const answer = await exchange(`${head}\r\n\r\n`);
    const [said = '', body = ''] = answer.split('\r\n\r\n');
    expect(said).toMatch(new RegExp(`^HTTP/1\\.1 ${code} .*x-request-id: [0-9a-f-]{36}`, 'is'));
    expect(JSON.parse(body)).toEqual({ code, message: why });
  });

  it('asks HTTP/1.0 for no Host, and goes on at 100-continue', async () => {
    expect(await exchange('GET /works HTTP/1.0\r\n\r\n')).toContain('{"fine":true}');
    const upload = 'POST /refuses HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n';
    const answer = await exchange(`${upload}Connection: close\r\nContent-Length: 2\r\n\r\n{}`);
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 403 /);
  });

  it('has the same shape for what is not even HTTP', async () => {
    const answer = await exchange('DELETE ME\r\n\r\n');
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 .*X-Request-Id: [0-9a-f-]{36}/s);
    expect(JSON.parse(body)).toEqual({ code: 400, message: expect.any(String) as string });
  });

  it('takes nothing in a refused body for a request, and goes on behind it', async () => {
    const hidden = 'GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n'.padEnd(1000);
    const answer = await exchange(
      `POST /refuses HTTP/1.1\r\nHost: a\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}` +
        'GET /works HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    expect(answer.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['403', '200']);
  });
});
