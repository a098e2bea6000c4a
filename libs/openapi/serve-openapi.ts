import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { pagePolicy } from '@app/http';
import { certain, programVersion } from '@app/platform';
import type { ApiTerms } from './api-terms.js';
import { describeRoutes } from './describe-routes.js';

/** The schema of every failure. */
const FAILURE = {
  type: 'object' as const,
  required: ['code', 'message'],
  properties: {
    code: { type: 'integer' as const, description: 'The HTTP status; of a search, its own code' },
    message: { type: 'string' as const },
    error_detail: { type: 'string' as const },
  },
};

const FAILURE_REFERENCE = { $ref: '#/components/schemas/Failure' };

const TEXT = 'text/plain';

/** The page contains its styles. */
const POLICY = pagePolicy({ 'style-src': "'self' 'unsafe-inline'" });

/**
 * Serves the OpenAPI document at `/openapi.json` and a page to read and try it at `/docs`, both open to all.
 * @param of the app that is described
 */
export function serveOpenApi(
  app: NestFastifyApplication,
  terms: ApiTerms,
  of: NestFastifyApplication,
): void {
  let document: OpenAPIObject | undefined;
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, reply, done) => {
      if (/^\/docs(?:[/?]|$)/.test(request.url))
        void reply.headers({
          'Content-Security-Policy': POLICY,
          'X-Content-Type-Options': 'nosniff',
        });
      done();
    });
  SwaggerModule.setup('docs', app, () => (document ??= createDocument(of, terms)), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: `${terms.title} API`,
  });
}

function createDocument(app: NestFastifyApplication, terms: ApiTerms): OpenAPIObject {
  describeRoutes(app);
  const config = new DocumentBuilder()
    .setTitle(terms.title)
    .setDescription(terms.description)
    .setVersion(programVersion())
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    // Schemas are written in JSON Schema 2020-12, which OpenAPI 3.0 does not support.
    .setOpenAPIVersion('3.1.0')
    .addServer('/')
    .addBasicAuth()
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      ...(terms.bearerFormat === undefined ? {} : { bearerFormat: terms.bearerFormat }),
    })
    .addSecurityRequirements('basic')
    .addSecurityRequirements('bearer')
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    autoTagControllers: false,
    operationIdFactory: (controller, method) => `${controller.replace('Controller', '')}_${method}`,
  });
  for (const [path, methods] of Object.entries(document.paths)) complete(path, methods, terms);
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Failure: FAILURE },
  };
  return document;
}

/** A method with several paths has an id for each, because generated clients use it as a name. */
const idOf = (id: string): string =>
  id.replace(/\[(\d+)\]$/, (_, index) => (index === '0' ? '' : `_${Number(index) + 1}`));

/**
 * Generated clients send bytes where they do not know the type that files have by themselves; of
 * protobuf the type says what the bytes are.
 */
function offerBytes(content: Record<string, object>): void {
  const [type] = Object.keys(content);
  if (type === undefined || type === 'application/json' || type === 'application/x-protobuf')
    return;
  content['application/octet-stream'] = {
    ...content[type],
    schema: { type: 'string', format: 'binary' },
  };
}

type Methods = OpenAPIObject['paths'][string];
const OPERATIONS = ['get', 'post', 'put', 'delete', 'head'] as const;

/** Adds to each operation what all of them have in common. */
function complete(
  path: string,
  methods: Methods,
  { parameters, headers, everywhere }: ApiTerms,
): void {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => certain(name, 'name in a path'));
  for (const method of OPERATIONS) {
    const operation = methods[method];
    if (!operation) continue;
    const others = (operation.parameters ?? []).filter(
      (each) => !('in' in each && each.in === 'path'),
    );
    const own = names.map((name) => {
      const { pattern, ...said } = parameters[name] ?? { description: name };
      const schema = { type: 'string' as const, ...(pattern === undefined ? {} : { pattern }) };
      return { name, in: 'path' as const, required: true, ...said, schema };
    });
    if (operation.operationId !== undefined) operation.operationId = idOf(operation.operationId);
    const taken = headers
      .filter(({ isTaken }) => isTaken?.(method, path) ?? true)
      .map(({ name, description, example, pattern }) => {
        const schema = { type: 'string' as const, pattern };
        return { name, in: 'header' as const, required: false, description, example, schema };
      });
    operation.parameters = [...own, ...others, ...(path.startsWith('/api/') ? taken : [])];
    if (operation.requestBody && 'content' in operation.requestBody)
      offerBytes(operation.requestBody.content);
    if (!path.startsWith('/api/')) {
      operation.security = [];
      continue;
    }
    const told = Object.values(operation.responses).some(
      (each) => each && 'content' in each && each.content?.[TEXT] !== undefined,
    );
    const contentOf = (code?: number, message?: string): Record<string, object> => {
      if (told) return { [TEXT]: { schema: { type: 'string' }, example: message } };
      const example = message === undefined ? {} : { example: { code, message } };
      return { 'application/json': { schema: FAILURE_REFERENCE, ...example } };
    };
    operation.responses.default ??= {
      description: 'A failure; docs/ERRORS.md lists them',
      content: contentOf(),
    };
    for (const [status, [kind, message]] of Object.entries(everywhere))
      operation.responses[status] ??= {
        description: kind,
        content: contentOf(Number(status), message),
      };
    // The answer has a status and no body.
    if (operation === methods.head)
      for (const each of Object.values(operation.responses))
        if (each && 'content' in each) delete each.content;
  }
}
