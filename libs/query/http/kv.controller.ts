import { text } from 'node:stream/consumers';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  Describe,
  MillraceError,
  organizationOf,
  Requires,
  type AuthenticatedRequest,
} from '@app/platform';
import { Catalog } from '../catalog.js';
import { lastValue } from '../frontends/key-value.frontend.js';
import { findColumn } from '../frontends/tables.frontend.js';
import { QueryPipeline } from '../query.pipeline.js';
import { whileAdmitted } from './answers/aborted-with.js';
import { knownTable } from './requests/known-table.js';

/** A stream with the columns `key` and `value` is a key-value store. */
@Controller()
@Requires('query')
export class KeyValueController {
  constructor(
    private readonly queries: QueryPipeline,
    private readonly catalog: Catalog,
  ) {}

  @Get('kv/:stream/:key')
  @Describe({
    tag: 'Queries',
    summary: 'The newest value of a key, as plain text, of a stream with the columns key and value',
    answer: 'blue',
    failures: {
      UNKNOWN_COLUMN: 'table logs has no column "key"; did you mean "keys"?',
      STREAM_NOT_FOUND: 'there is no table "colour"; did you mean "colours"?',
      KEY_NOT_FOUND: 'colours has no value for the key "sky"',
    },
  })
  async value(
    @Req() request: AuthenticatedRequest,
    @Param('stream') name: string,
    @Param('key') key: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const organization = organizationOf(request);
    const table = knownTable(this.catalog, organization, name);
    for (const column of ['key', 'value']) findColumn(table, column);
    const signal = whileAdmitted(reply);
    const statement = lastValue(table, key);
    const found = await text(
      await this.queries.run({ ...statement, organization, format: 'text', signal }),
    );
    if (found === '')
      throw new MillraceError(
        'KEY_NOT_FOUND',
        `${name} has no value for the key ${JSON.stringify(key.slice(0, 200))}`,
      );
    await reply.type('text/plain; charset=utf-8').send(found.slice(0, -1));
  }
}
