import { applyDecorators, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  ApiBody,
  ApiConsumes,
  ApiExcludeController,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { z } from 'zod';
import {
  DESCRIPTION_METADATA,
  ERROR_STATUS,
  UNDESCRIBED_METADATA,
  type ErrorKind,
  type FailureExample,
  type RouteDescription,
} from '@app/platform';

type ApiSchema = Extract<Parameters<typeof ApiBody>[0], { schema: unknown }>['schema'];

/** Gives the library that writes the OpenAPI document the contents of `@Describe` of each route. */
export function describeRoutes(app: NestFastifyApplication): void {
  for (const module of app.get(ModulesContainer).values())
    for (const { metatype } of module.controllers.values()) {
      const controller = metatype as Type;
      if (Reflect.hasMetadata(UNDESCRIBED_METADATA, controller)) ApiExcludeController()(controller);
      else describeController(controller.prototype as object);
    }
}

function describeController(prototype: object): void {
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof property.value !== 'function') continue;
    const route = Reflect.getMetadata(DESCRIPTION_METADATA, property.value as object) as
      RouteDescription | undefined;
    if (route) decorators(route)(prototype, name, property);
  }
}

function decorators({
  tag,
  summary,
  body,
  query,
  status = 200,
  answer,
  answerType = 'application/json',
  failureType,
  failures = {},
}: RouteDescription): MethodDecorator {
  return applyDecorators(
    ApiTags(tag),
    ApiOperation({ summary }),
    ...(body ? [describeBody(body)] : []),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) =>
      ApiQuery({ name, required: false, schema: jsonSchema(schema as z.ZodType) }),
    ),
    ApiResponse({
      status,
      description: 'done',
      ...(answer === undefined ? {} : { content: { [answerType]: { example: answer } } }),
    }),
    ...byStatus(failures).map(([status, kinds]) => describeFailures(status, kinds, failureType)),
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
  type: RouteDescription['failureType'],
): MethodDecorator & ClassDecorator {
  const bodyOf = (message: FailureExample): unknown =>
    typeof message === 'string' && type === undefined ? { code: status, message } : message;
  const examples = kinds.map(([kind, message]) => [kind, { value: bodyOf(message) }]);
  return ApiResponse({
    status,
    description: kinds.map(([kind]) => kind).join(', '),
    content: {
      [type ?? 'application/json']: {
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
