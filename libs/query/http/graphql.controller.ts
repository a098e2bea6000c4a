import { Readable } from 'node:stream';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  bodyOf,
  Describe,
  MillraceError,
  organizationOf,
  readJson,
  Requires,
  type AuthenticatedRequest,
  type RequestOrganization,
} from '@app/platform';
import { GraphqlFailure } from '../graphql/graphql-failure.js';
import {
  GraphqlPipeline,
  type GraphqlRequest,
  type RootField,
} from '../graphql/graphql.pipeline.js';
import { QueryPipeline } from '../query.pipeline.js';
import { whileAdmitted } from './answers/aborted-with.js';
import { readStatement } from './requests/read-statement.js';
import { JSON_TYPE } from './answers/negotiate.js';
import { streamResult } from './answers/stream-result.js';

const graphqlBody = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

/** The hash in place of a query, which Apollo's client sends first where it is told to. */
const hashedQuery = z.object({
  query: z.undefined().optional(),
  extensions: z.object({ persistedQuery: z.object({}).loose() }),
});

/** The client passes over an answer that has more than the standard's envelope. */
const HASH_UNKNOWN = {
  errors: [{ message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }],
}; // prettier-ignore

@Controller()
@Requires('query')
export class GraphqlController {
  constructor(
    private readonly documents: GraphqlPipeline,
    private readonly queries: QueryPipeline,
  ) {}

  /**
   * A body of text gets rows as its answer, as in ROAPI; a JSON body gets the standard's envelope.
   */
  @Post('graphql')
  @HttpCode(200)
  @Describe({
    tag: 'Queries',
    summary:
      'GraphQL over the streams; a text body is the query, and its one table is answered as rows',
    body: {
      schema: graphqlBody,
      example: {
        query:
          'query ($s: NumberCondition) { logs(filter: {status: $s}, limit: 1) { status } logs_aggregate { count } }',
        variables: { s: 500 },
      },
    },
    answer: { data: { logs: [{ status: 500 }], logs_aggregate: [{ count: 7 }] } },
    failures: {
      NOT_ACCEPTABLE:
        'none of Accept: image/png can be sent; ask for application/json, application/x-ndjson, …',
      INVALID_GRAPHQL:
        'Cannot query field "stauts" on type "logs". Did you mean "status"? (line 1, column 9)',
      INVALID_PARAMETER: 'filter status: unknown operator "gtt"; did you mean "gt"?',
      STREAM_NOT_FOUND: 'there is no table "log"; did you mean "logs"?',
    },
  })
  async graphql(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
    const organization = organizationOf(request);
    if (isJson(request)) return this.envelope(request, organization, reply);
    const query = await readStatement(request);
    const asked = { query, variables: {}, operationName: undefined };
    const fields = await this.documents.plan(asked, organization);
    const [only, more] = fields;
    if (only && !more && 'statement' in only) {
      const { sql, values } = only.statement;
      return streamResult(this.queries, organization, sql, request, reply, values);
    }
    await this.send(fields, organization, reply);
  }

  private async envelope(
    request: AuthenticatedRequest,
    organization: RequestOrganization,
    reply: FastifyReply,
  ): Promise<void> {
    const body = await readJson(request, z.unknown());
    // The client sends the query itself once it is told so.
    if (hashedQuery.safeParse(body).success)
      return void (await reply.status(400).type(JSON_TYPE).send(HASH_UNKNOWN));
    const { query, variables, operationName } = graphqlBody.parse(body);
    const asked: GraphqlRequest = {
      query,
      variables: variables ?? {},
      operationName: operationName ?? undefined,
    };
    try {
      const fields = await this.documents.plan(asked, organization);
      await this.send(fields, organization, reply);
    } catch (error) {
      if (!(error instanceof MillraceError) || reply.raw.headersSent) throw error;
      await reply.status(error.status).type(JSON_TYPE).send(failureEnvelope(error));
    }
  }

  private async send(
    fields: readonly RootField[],
    organization: RequestOrganization,
    reply: FastifyReply,
  ): Promise<void> {
    const pieces = this.pieces(fields, organization, whileAdmitted(reply));
    const first = await pieces.next();
    await reply
      .type(JSON_TYPE)
      .send(Readable.from(startingWith(first, pieces), { objectMode: false }));
  }

  /** The tables are read one after the other, because each needs a session of the engine. */
  private async *pieces(
    fields: readonly RootField[],
    organization: RequestOrganization,
    signal: AbortSignal,
  ): AsyncGenerator<string | Buffer> {
    let before = '{"data":{';
    for (const field of fields) {
      const opening = `${before}${JSON.stringify(field.key)}:`;
      before = ',';
      if (!('statement' in field)) {
        yield opening + JSON.stringify(field.value ?? null);
        continue;
      }
      const { sql, values } = field.statement;
      const rows = await this.queries.run({ sql, values, organization, format: 'json', signal });
      yield opening;
      yield* rows as AsyncIterable<Buffer>;
    }
    yield fields.length === 0 ? '{"data":{}}' : '}}\n';
  }
}

async function* startingWith<T>(
  first: IteratorResult<T>,
  rest: AsyncGenerator<T>,
): AsyncGenerator<T> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

function isJson(request: AuthenticatedRequest): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(request.headers['content-type'] ?? '');
}

/** The API's error form, together with the list of errors that clients of GraphQL expect. */
function failureEnvelope(failure: MillraceError): object {
  const errors =
    failure instanceof GraphqlFailure
      ? failure.errors.map(({ message, locations, path }) => ({ message, locations, path }))
      : [{ message: failure.message }];
  return { ...bodyOf(failure), errors };
}
