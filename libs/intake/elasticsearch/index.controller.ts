import { Controller, NotFoundException, Param, Put, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { elasticsearchFailure } from '@app/http';
import {
  type AuthenticatedRequest,
  Describe,
  MillraceError,
  organizationOf,
  readJson,
  Requires,
  ulid,
} from '@app/platform';
import { EnsureStream, StreamsProjection } from '@app/streams';
import { uploaderOf } from '../store/uploader.js';
import { PRODUCT_HEADER } from './elasticsearch.controller.js';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;
const indexBody = z.looseObject({});
const created = (index: string) => ({ acknowledged: true, shards_acknowledged: true, index });

const SHOWN_MAX = 8;

/** A header cannot have every name that JSON has. */
function shown(names: readonly string[]): string {
  const plain = names.filter((name) => /^[\w.-]{1,64}$/.test(name)).slice(0, SHOWN_MAX);
  return [...plain, ...(plain.length < names.length ? ['others'] : [])].join(', ');
}

/** Clients show the texts of this header to people, as warnings. */
const warningOf = (ignored: readonly string[]): string =>
  `299 Millrace "${shown(ignored)}: not used; a stream takes its columns from its records, and types declared by PUT /api/{org}/streams/{stream}/settings"`;

/**
 * Makes an index before the first document is sent, as `indices.create()` of Elasticsearch's
 * clients does. A stream without rows is what they mean by that.
 */
@Controller('api/:org')
@Requires('upload')
export class IndexController {
  constructor(
    private readonly commands: CommandBus,
    private readonly streams: StreamsProjection,
  ) {}

  @Put(':stream')
  @Describe({
    tag: 'Elasticsearch clients',
    summary:
      'Make a stream without rows. Settings, mappings and aliases are not used, and a `Warning` header names them',
    body: { schema: indexBody, example: {} },
    answer: created('logs'),
    failures: {
      INVALID_NAME: 'stream names: letters, digits, _ - . and not _ at the beginning',
      MALFORMED_BODY: 'the body is not JSON',
      LIMIT_REACHED:
        'stream logs would be one more than the 1000 that an organization may have (MILLRACE_ORG_STREAMS); nothing was stored in it; delete streams, or ask the operator of the server for more',
    },
  })
  async create(
    @Req() request: AuthenticatedRequest,
    @Param('stream') name: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (name.startsWith('_') || isOwnRoute(request, name)) throw new NotFoundException();
    const ignored = Object.keys(await readJson(request, indexBody).catch(withoutBody));
    const organization = organizationOf(request);
    void reply.headers(PRODUCT_HEADER);
    if (this.streams.find(organization.id, name)) {
      await reply.status(400).send(elasticsearchFailure(request, 400, alreadyThere(name)));
      return;
    }
    const { root = false, checkAdmission, ...who } = uploaderOf(request);
    checkAdmission?.();
    const context = { ...who, commandId: ulid(), occurredAt: new Date().toISOString() };
    await this.commands.execute(new EnsureStream(organization, name, context, root));
    if (ignored.length > 0) void reply.header('Warning', warningOf(ignored));
    await reply.send(created(name));
  }
}

/** `PUT …/streams` is a wrong method for the list of streams, and no wish for a stream. */
const isOwnRoute = ({ server }: AuthenticatedRequest, name: string): boolean =>
  METHODS.some((method) => server.hasRoute({ method, url: `/api/:org/${name}` }));

/** Programs look at `error.type`, and take this failure for success. */
const alreadyThere = (index: string) => ({
  type: 'resource_already_exists_exception',
  reason: `stream ${index} is there already`,
  index,
});

function withoutBody(error: unknown): Record<string, never> {
  if (error instanceof MillraceError && error.kind === 'EMPTY_BODY') return {};
  throw error;
}
