import {
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  Req,
} from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { contextOf } from '@app/event-store';
import {
  callerOf,
  Describe,
  MillraceError,
  organizationOf,
  readJson,
  Requires,
  type AuthenticatedRequest,
} from '@app/platform';
import { checkFirstSettings } from '../aggregates/stream.aggregate.js';
import { ChangeStreamSettings } from '../commands/change-stream-settings.command.js';
import { DeleteStream } from '../commands/delete-stream.command.js';
import { EnsureStream } from '../commands/ensure-stream.command.js';
import { StreamsProjection, type StreamDescription } from '../projections/streams.projection.js';
import { STREAM_TYPE, StreamRecords, type StreamRecord } from './stream-records.js';
import { settingsBody, toChange, toColumns } from './stream-settings.body.js';

const LIST_MAX = 10_000;

/** The only type of streams. */
const typeQuery = {
  type: z.string().default(STREAM_TYPE).describe('logs; of other types there are no streams'),
};
const oneQuery = z.object(typeQuery);
const listQuery = z.strictObject({
  ...typeQuery,
  fetchSchema: z.enum(['true', 'false']).default('false'),
  keyword: z.string().default(''),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(LIST_MAX).default(LIST_MAX),
});

interface Done {
  readonly code: 200;
  readonly message: string;
}

const TAG = 'Streams';
const EXAMPLE: StreamRecord = {
  name: 'logs',
  stream_type: STREAM_TYPE,
  storage_type: 'disk',
  stats: {
    doc_num: 2,
    doc_time_min: 1_790_000_000_000_000,
    doc_time_max: 1_790_000_060_000_000,
    storage_size: 1.25,
    compressed_size: 0.125,
  },
  settings: {
    data_retention: 0,
    full_text_search_keys: [],
    partition_keys: ['status'],
    order_by: ['_timestamp'],
  },
};
const NOT_FOUND = { STREAM_NOT_FOUND: 'stream not found' };
const SETTINGS = {
  tag: TAG,
  query: oneQuery,
  summary:
    'Change settings: only what is sent. `columns` declares types of columns; on a stream that does not exist it makes it. A shorter `data_retention` deletes rows, and needs an admin',
  body: {
    schema: settingsBody,
    example: {
      data_retention: 30,
      columns: { status: 'Int64', shipped: 'Date32', price: 'Decimal128(15, 2)' },
      partition_keys: ['status'],
    },
  },
  answer: { code: 200, message: 'stream settings saved' },
  failures: {
    ...NOT_FOUND,
    INVALID_PARAMETER:
      'unknown key "retention"; known are data_retention, full_text_search_keys, partition_keys, order_by, columns',
    UNSUPPORTED_ENCODING: 'there is no body; send the settings as a JSON object',
    LIMIT_REACHED:
      'stream logs would be one more than the 1000 that an organization may have (MILLRACE_ORG_STREAMS); nothing was stored in it; delete streams, or ask the operator of the server for more',
    FORBIDDEN:
      'data_retention: a shorter one deletes rows, which only an admin of the organization may; now it is 0, which keeps all',
  },
};

@Controller('api/:org')
@Requires('view')
export class StreamsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly streams: StreamsProjection,
    private readonly records: StreamRecords,
  ) {}

  @Get('streams')
  @Requires('query')
  @Describe({
    tag: TAG,
    summary: 'Streams by name',
    query: listQuery,
    answer: { list: [EXAMPLE], total: 1 },
    failures: { INVALID_PARAMETER: 'offset: want at least 0' },
  })
  async list(
    @Req() request: AuthenticatedRequest,
    @Query() query: unknown,
  ): Promise<{ list: readonly StreamRecord[]; total: number }> {
    const { type, fetchSchema, keyword, offset, limit } = listQuery.parse(query);
    const ofType = type === STREAM_TYPE ? this.streams.listFor(organizationOf(request)) : [];
    const streams = ofType.filter((stream) => stream.name.includes(keyword));
    const page = streams.slice(offset, offset + limit);
    return { list: await this.records.of(page, fetchSchema === 'true'), total: streams.length };
  }

  @Get(['streams/:stream/schema', ':stream/schema'])
  @Requires('query')
  @Describe({
    tag: TAG,
    summary: 'A stream with its schema; types have the names of Apache Arrow',
    query: oneQuery,
    answer: { ...EXAMPLE, schema: [{ name: '_timestamp', type: 'Timestamp' }] },
    failures: NOT_FOUND,
  })
  async schema(
    @Req() request: AuthenticatedRequest,
    @Param('stream') name: string,
    @Query() query: unknown,
  ): Promise<StreamRecord> {
    checkType(query, name);
    const stream = this.streams.findFor(organizationOf(request), name);
    const [record] = stream ? await this.records.of([stream], true) : [];
    if (!record) throw notFound(name);
    return record;
  }

  @Post(':stream/settings')
  @HttpCode(200)
  @Requires('configure-streams')
  @Describe(SETTINGS)
  async settings(
    @Req() request: AuthenticatedRequest,
    @Param('stream') name: string,
    @Query() query: unknown,
  ): Promise<Done> {
    checkType(query, name);
    const body = await readJson(request, settingsBody).catch(withoutBody);
    const organization = organizationOf(request);
    const declared = toColumns(body);
    const context = contextOf(request);
    let stream = this.streams.findFor(organization, name);
    // If the request itself creates the stream, there are no rows to delete.
    const keepsRows = stream !== undefined && organization.administered !== true;
    if (!stream) {
      if (declared.length === 0) throw notFound(name);
      checkFirstSettings(toChange(body), declared);
      stream = await this.commands.execute<EnsureStream, StreamDescription>(
        new EnsureStream(organization, name, context, callerOf(request).root, {
          type: 'change-settings',
          change: toChange(body),
          declared,
        }),
      );
    }
    // If the request has created the stream, all settings are already applied.
    const step = { ...context, commandId: `${context.commandId}/settings` };
    await this.commands.execute(
      new ChangeStreamSettings(stream.id, toChange(body), declared, keepsRows, step),
    );
    return { code: 200, message: 'stream settings saved' };
  }

  @Put('streams/:stream/settings')
  @Requires('configure-streams')
  @Describe(SETTINGS)
  putSettings(
    @Req() request: AuthenticatedRequest,
    @Param('stream') name: string,
    @Query() query: unknown,
  ): Promise<Done> {
    return this.settings(request, name, query);
  }

  /** Clients of Elasticsearch delete an index so, and take an answer without these for a failure. */
  @Delete(['streams/:stream', ':stream'])
  @Header('X-Elastic-Product', 'Elasticsearch')
  @Requires('manage-organization')
  @Describe({
    tag: TAG,
    summary: 'Delete a stream with its rows and rejected records; its name is free at once',
    query: oneQuery,
    answer: { code: 200, message: 'stream deleted', acknowledged: true },
    failures: NOT_FOUND,
  })
  async remove(
    @Req() request: AuthenticatedRequest,
    @Param('stream') name: string,
    @Query() query: unknown,
  ): Promise<Done & { acknowledged: true }> {
    checkType(query, name);
    await this.commands.execute(
      new DeleteStream(organizationOf(request), name, contextOf(request)),
    );
    return { code: 200, message: 'stream deleted', acknowledged: true };
  }
}

const notFound = (name: string): MillraceError =>
  new MillraceError('STREAM_NOT_FOUND', 'stream not found', { detail: name });

/**
 * @throws {MillraceError} STREAM_NOT_FOUND if a stream of another type is requested, which must not
 *   be mistaken for this one
 */
function checkType(query: unknown, name: string): void {
  if (oneQuery.parse(query).type !== STREAM_TYPE) throw notFound(name);
}

/** A request without a body has no type either. */
function withoutBody(error: unknown): never {
  if (error instanceof MillraceError && error.kind === 'EMPTY_BODY')
    throw new MillraceError(
      'UNSUPPORTED_ENCODING',
      'there is no body; send the settings as a JSON object',
    );
  throw error;
}
