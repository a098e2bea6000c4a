import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { pagePolicy } from '@app/http';
import {
  MillraceError,
  RequiresAccount,
  Undescribed,
  type AuthenticatedRequest,
} from '@app/platform';

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const folders = createRequire(import.meta.url).resolve.paths('graphiql') ?? [];

/**
 * Finds a file of a package beside our own files, where a build has copied it, or else in the package.
 * The package's `exports` may not name it, because they are for bundlers.
 */
const packaged =
  (name: string): Asset['path'] =>
  (folder) => {
    const paths = [own(basename(name))(folder), ...folders.map((each) => join(each, name))];
    const path = paths.find((each) => existsSync(each));
    if (path === undefined) throw new Error(`neither the build nor a package has ${name}`);
    return path;
  };

export const GRAPHIQL_PAGE = Symbol('GRAPHIQL_PAGE');
/** The page that is served. */
export interface GraphiqlPage {
  /** The folder of our own files; with a slash at its end. */
  readonly folder: URL;
  readonly program: 'hosted' | 'edge';
}

interface Asset {
  readonly type: string;
  readonly path: (folder: URL) => string;
}

const own =
  (name: string): Asset['path'] =>
  (folder) =>
    fileURLToPath(new URL(name, folder));
const PAGE: Asset = { type: 'text/html; charset=utf-8', path: own('page.html') };
const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ['page.js', { type: SCRIPT, path: own('page.js') }],
  ['page.css', { type: STYLE, path: own('page.css') }],
  ['graphiql.js', { type: SCRIPT, path: packaged('graphiql/graphiql.min.js') }],
  ['graphiql.css', { type: STYLE, path: packaged('graphiql/graphiql.min.css') }],
  ['react.js', { type: SCRIPT, path: packaged('react/umd/react.production.min.js') }],
  ['react-dom.js', { type: SCRIPT, path: packaged('react-dom/umd/react-dom.production.min.js') }],
]);

/** The editor adds styles while it runs. */
const POLICY = pagePolicy({
  'style-src': "'self' 'unsafe-inline'",
  'font-src': "'self' data:",
});

/**
 * Serves GraphiQL completely from this server, to look at an organization's schema and try queries.
 */
@Controller('graphiql')
@Undescribed()
export class GraphiqlController {
  private readonly read = new Map<string, Promise<Buffer>>();

  constructor(@Inject(GRAPHIQL_PAGE) private readonly graphiql: GraphiqlPage) {}

  /** The browser asks for the credentials, and sends them with each query. */
  @Get()
  @RequiresAccount()
  page(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(PAGE, request, reply);
  }

  @Get(':file')
  @RequiresAccount()
  async asset(
    @Param('file') name: string,
    @Req() request: AuthenticatedRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const asset = ASSETS.get(name);
    if (!asset)
      throw new MillraceError('ROUTE_NOT_FOUND', 'there is no such file; look at /graphiql');
    await this.send(asset, request, reply);
  }

  private async send(
    { type, path }: Asset,
    request: AuthenticatedRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const file = path(this.graphiql.folder);
    const reading = this.read.get(file) ?? this.load(file);
    this.read.set(file, reading);
    const bytes = await reading;
    const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
    void reply
      .headers({
        'Content-Security-Policy': POLICY,
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'private, no-cache',
        ETag: tag,
      })
      .type(type);
    if (request.headers['if-none-match'] === tag) await reply.status(304).send();
    else await reply.send(bytes);
  }

  /** The page is the file's content with one word replaced. */
  private async load(file: string): Promise<Buffer> {
    const bytes = await readFile(file);
    if (!file.endsWith('.html')) return bytes;
    const { program } = this.graphiql;
    return Buffer.from(bytes.toString().replace('data-program=""', `data-program="${program}"`));
  }
}
