import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import {
  defaultFieldResolver,
  execute,
  getOperationAST,
  GraphQLError,
  parse,
  validate,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLFieldResolver,
} from 'graphql';
import { z } from 'zod';
import { introspectionCost, selectedFields } from '@app/graphql-cost';
import {
  Describe,
  MillraceError,
  readJson,
  Requires,
  type AuthenticatedRequest,
} from '@app/platform';
import { MetadataSchema } from './metadata-schema.js';

const TOKENS_MAX = 1000;
/** The number of fields of a document when its fragments are written out. */
const FIELDS_MAX = 300;
const ROOT_FIELDS_MAX = 10;
/** The number of fields of an answer: an organization may have many streams with many columns. */
const ANSWER_FIELDS_MAX = 500_000;

const metadataQueryBody = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

@Controller('api/:org/catalog')
@Requires('view')
export class MetadataGraphqlController {
  constructor(private readonly schema: MetadataSchema) {}

  /**
   * Answers as GraphQL does: values that the caller may not see are null, with an error beside
   * them.
   */
  @Post()
  @HttpCode(200)
  @Describe({
    tag: 'Organizations',
    summary: 'GraphQL over what there is: the organization, its streams, members and audit trail',
    body: {
      schema: metadataQueryBody,
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
    const { query, variables, operationName } = await readJson(request, metadataQueryBody);
    const schema = await this.schema.get();
    const given = variables ?? {};
    const document = readDocument(query);
    if ('errors' in document) return told(document);
    const operation = getOperationAST(document, operationName);
    if (operation) {
      checkFields(selectedFields(document, operation, FIELDS_MAX), FIELDS_MAX);
      checkFields(operation.selectionSet.selections.length, ROOT_FIELDS_MAX, ' side by side');
    }
    const errors = validate(schema, document);
    if (errors.length > 0) return told({ errors });
    if (operation)
      checkFields(
        introspectionCost(schema, document, operation, given, ANSWER_FIELDS_MAX),
        ANSWER_FIELDS_MAX,
      );
    const result = await execute({
      schema,
      document,
      contextValue: { request },
      variableValues: given,
      ...(operationName ? { operationName } : {}),
      fieldResolver: countingResolver(),
    });
    return told(result);
  }
}

function readDocument(query: string): DocumentNode | { readonly errors: readonly GraphQLError[] } {
  try {
    return parse(query, { maxTokens: TOKENS_MAX });
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    throw error;
  }
}

/** @throws {MillraceError} INVALID_PARAMETER */
function checkFields(fields: number, most: number, where = ''): void {
  if (fields > most)
    throw new MillraceError(
      'INVALID_PARAMETER',
      `query: at most ${most} fields${where}, fragments counted each time; ask for less at once`,
    );
}

/**
 * Refuses an answer that would be too large: the existing objects times the fields selected of
 * each.
 */
function countingResolver(): GraphQLFieldResolver<unknown, unknown> {
  let fields = 0;
  return (source, args: Record<string, unknown>, context, info): unknown => {
    fields += 1;
    checkFields(fields, ANSWER_FIELDS_MAX);
    return defaultFieldResolver(source, args, context, info);
  };
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
