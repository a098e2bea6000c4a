import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { graphql, type ExecutionResult, type GraphQLError } from 'graphql';
import { z } from 'zod';
import {
  Describe,
  MillraceError,
  readJson,
  Requires,
  type AuthenticatedRequest,
} from '@app/platform';
import { CatalogueSchema } from './catalogue-schema.js';

const TOKENS_MAX = 1000;

const catalogueBody = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

@Controller('api/:org/catalog')
@Requires('view')
export class CatalogueController {
  constructor(private readonly schema: CatalogueSchema) {}

  /** Answers as GraphQL does: what the caller may not see is null, with an error beside it. */
  @Post()
  @HttpCode(200)
  @Describe({
    tag: 'Organizations',
    summary: 'GraphQL over what there is: the organization, its streams, members and audit trail',
    body: {
      schema: catalogueBody,
      example: { query: '{ organization { name } streams { name stats { doc_num } } }' },
    },
    answer: {
      data: {
        organization: { name: 'default' },
        streams: [{ name: 'logs', stats: { doc_num: 41 } }],
      },
    },
    failures: {
      INVALID_PARAMETER: 'query: is missing; want string',
    },
  })
  async ask(@Req() request: AuthenticatedRequest): Promise<object> {
    const { query, variables, operationName } = await readJson(request.raw, catalogueBody);
    const result = await graphql({
      schema: this.schema.get(),
      source: query,
      contextValue: { request },
      variableValues: variables ?? {},
      ...(operationName ? { operationName } : {}),
      options: { maxTokens: TOKENS_MAX },
    } as Parameters<typeof graphql>[0]);
    return told(result);
  }
}

function told({ data, errors }: ExecutionResult): object {
  if (!errors) return { data };
  const unknown = errors.find(
    ({ originalError }) => originalError && !(originalError instanceof MillraceError),
  );
  if (unknown?.originalError) throw unknown.originalError;
  return { ...(data === undefined ? {} : { data }), errors: errors.map(toldError) };
}

function toldError({ message, locations, path, originalError }: GraphQLError): object {
  const extensions =
    originalError instanceof MillraceError
      ? { extensions: { code: originalError.kind, status: originalError.status } }
      : {};
  return { message, locations, path, ...extensions };
}
