import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pagePolicy } from '@app/http';
import { MillraceError, Open, Undescribed } from '@app/platform';
import { PageFiles, type Encoding, type PageFile } from './page-files.js';

export const CONSOLE_PROGRAM = Symbol('CONSOLE_PROGRAM');
/**
 * The program that serves the page. The hosted service has accounts and uploads, the edge program
 * tables.
 */
export type ConsoleProgram = 'hosted' | 'edge';

/** The folder of the page, seen from this file and from the bundle of the edge program, which lies as deep. */
const BUILT = new URL('../../apps/console/', import.meta.url);

const POLICY = pagePolicy();

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};
/** The name of a file contains the hash of its content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * The page for people. It contains no data, because it asks the API for everything, as any client
 * does.
 */
@Controller()
@Undescribed()
export class ConsoleController {
  private readonly files = new PageFiles(BUILT);

  constructor(@Inject(CONSOLE_PROGRAM) private readonly program: ConsoleProgram) {}

  @Open()
  @Get()
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    void reply.header('Vary', 'Accept');
    // A program that calls this address gets the same answer as at any path without a route.
    const wantsPage = (request.headers.accept ?? '').includes('text/html');
    const page = wantsPage ? await this.files.page(this.program) : undefined;
    if (!page) throw new MillraceError('ROUTE_NOT_FOUND', `no such route: ${request.method} /`);
    await send(page, 'no-cache', request, reply);
  }

  @Open()
  @Get('console/:file')
  async asset(
    @Param('file') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const file = await this.files.asset(name, acceptedBy(request));
    // Behind a proxy, another node with a newer build may have the file.
    void reply.header('Cache-Control', 'no-store');
    if (!file) throw new MillraceError('ROUTE_NOT_FOUND', 'there is no such file; look at /');
    void reply.header('Vary', 'Accept-Encoding');
    await send(file, FOR_EVER, request, reply);
  }
}

async function send(
  { bytes, type, encoding, tag }: PageFile,
  caching: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  void reply.headers({ ...HEADERS, 'Cache-Control': caching, ETag: tag }).type(type);
  if (request.headers['if-none-match'] === tag) return void (await reply.status(304).send());
  if (encoding) void reply.header('Content-Encoding', encoding);
  await reply.send(bytes);
}

/** The encodings that the build has made, the smaller one first. */
function acceptedBy({ headers }: FastifyRequest): Encoding[] {
  const offered: readonly Encoding[] = ['br', 'gzip'];
  const named = String(headers['accept-encoding'] ?? '').split(',');
  return offered.filter((name) => named.some((each) => isNamed(each, name)));
}

function isNamed(range: string, name: string): boolean {
  const [value = '', ...parameters] = range.split(';').map((each) => each.trim().toLowerCase());
  return value === name && !parameters.some((each) => /^q=0(\.0*)?$/.test(each));
}
