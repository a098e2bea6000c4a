import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { z } from 'zod';
import type { ErrorBody } from './error-filter.js';
import { ERROR_STATUS, type ErrorKind } from './errors.js';

type ApiSchema = Extract<Parameters<typeof ApiBody>[0], { schema: unknown }>['schema'];

type FailureExample = string | ErrorBody;

/** What the OpenAPI page says of a route. */
export interface RouteDescription {
  /** Heading it stands under, e.g. `Users`. */
  readonly tag: string;
  readonly summary: string;
  /** The same schema that the handler parses the body with. */
  readonly body?: {
    readonly schema: z.ZodType;
    readonly example: unknown;
    /** When it is not JSON. */
    readonly contentType?: string;
  };
  /** The same schema that the handler parses the query string with. */
  readonly query?: z.ZodObject;
  /** Body of the 200, as a client would see it. */
  readonly answer: unknown;
  /** When the answer is not JSON. */
  readonly answerType?: string;
  /** Kinds of failure peculiar to this route, each with a message it may have, or with the body it is. 401, 403 of the role and 429 go without saying. */
  readonly failures?: Readonly<Partial<Record<ErrorKind, FailureExample>>>;
}

/** Describes a route in the OpenAPI document, from the schemas the route itself uses. */
export function Describe(route: RouteDescription): MethodDecorator & ClassDecorator {
  const { tag, summary, body, query, answer, failures = {} } = route;
  const { answerType = 'application/json' } = route;
  return applyDecorators(
    ApiTags(tag),
    ApiOperation({ summary }),
    ...(body ? [describeBody(body)] : []),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) =>
      ApiQuery({ name, required: false, schema: jsonSchema(schema as z.ZodType) }),
    ),
    ApiResponse({
      status: 200,
      description: 'done',
      content: { [answerType]: { example: answer } },
    }),
    ...byStatus(failures).map(([status, kinds]) => describeFailures(status, kinds)),
  );
}

function describeBody(body: NonNullable<RouteDescription['body']>): MethodDecorator {
  const { schema, example, contentType } = body;
  const described = ApiBody({
    required: true,
    schema: jsonSchema(schema),
    examples: { example: { value: example } },
  });
  return contentType === undefined
    ? described
    : applyDecorators(described, ApiConsumes(contentType));
}

function describeFailures(
  status: number,
  kinds: readonly (readonly [string, FailureExample])[],
): MethodDecorator & ClassDecorator {
  const examples = kinds.map(([kind, message]) => [
    kind,
    { value: typeof message === 'string' ? { code: status, message } : message },
  ]);
  return ApiResponse({
    status,
    description: kinds.map(([kind]) => kind).join(', '),
    content: {
      'application/json': {
        examples: Object.fromEntries(examples) as Record<string, { value: unknown }>,
      },
    },
  });
}

function byStatus(
  failures: Readonly<Partial<Record<ErrorKind, FailureExample>>>,
): [number, [string, FailureExample][]][] {
  const all = new Map<number, [string, FailureExample][]>();
  for (const [kind, message] of Object.entries(failures)) {
    const status = ERROR_STATUS[kind as ErrorKind];
    all.set(status, [...(all.get(status) ?? []), [kind, message]]);
  }
  return [...all];
}

function jsonSchema(schema: z.ZodType): ApiSchema {
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  delete described.$schema;
  return described as ApiSchema;
}
