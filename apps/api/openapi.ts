import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ORGANIZATION_NAME } from '@app/identity';
import { pagePolicy, programVersion } from '@app/platform';
import { describeRoutes } from './describe-routes.js';

const DESCRIPTION = `Upload files into streams and query them at once.

Every request needs HTTP Basic: e-mail and password, or e-mail and the organization's passcode for upload and query; or a token of the organization, as \`Authorization: Bearer\`. Failures are JSON: \`{"code", "message", "error_detail"?}\`. Every response says its \`X-Request-Id\`. Commands take an \`Idempotency-Key\` header: sent again with it, they change nothing a second time.`;

interface PathParameter {
  readonly description: string;
  readonly example: string;
  /** Of the names that there can be. */
  readonly pattern?: string;
}

/** Streams of Millrace's own begin with `_`. */
const STREAM = { example: 'logs', pattern: '^[A-Za-z0-9._-]{1,127}$' };

/** Path parameters, by name, wherever they stand. */
const PARAMETERS: Readonly<Record<string, PathParameter>> = {
  org: {
    description: 'Name of the organization',
    example: 'default',
    pattern: ORGANIZATION_NAME.source,
  },
  stream: { description: 'Name of the stream', ...STREAM },
  table: { description: 'Name of the stream, as a table', ...STREAM },
  email: { description: 'E-mail of the account', example: 'ann@example.com' },
  key: { description: 'What is looked up', example: 'a' },
  name: { description: 'Its name', example: 'shipper' },
  id: { description: 'Id of the record, kept as `_id`', example: '1' },
};

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

/** Every route may answer these. */
const EVERYWHERE = {
  401: [
    'UNAUTHORIZED',
    'credentials are missing or wrong; send HTTP Basic with e-mail and password',
  ],
  403: ['FORBIDDEN', 'you may not do this in organization acme, or there is no such organization'],
  429: [
    'TOO_MANY_REQUESTS',
    'too many failed logins for this account or from this address; wait and try again',
  ],
} as const;

const FAILURE_REFERENCE = { $ref: '#/components/schemas/Failure' };

const TEXT = 'text/plain';

/** Its styles stand within it. */
const POLICY = pagePolicy({ 'style-src': "'self' 'unsafe-inline'" });

/** Serves the OpenAPI document at `/openapi.json` and a page to read and try it at `/docs`, both open to all. */
export function serveOpenApi(app: NestFastifyApplication): void {
  // Made when it is first asked for: a start need not wait for it.
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
  SwaggerModule.setup('docs', app, () => (document ??= createDocument(app)), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'Millrace API',
  });
}

function createDocument(app: NestFastifyApplication): OpenAPIObject {
  describeRoutes(app);
  const config = new DocumentBuilder()
    .setTitle('Millrace')
    .setDescription(DESCRIPTION)
    .setVersion(programVersion())
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    // Schemas are those of JSON Schema 2020-12, which 3.0 does not know.
    .setOpenAPIVersion('3.1.0')
    .addServer('/')
    .addBasicAuth()
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'mr_…' })
    .addSecurityRequirements('basic')
    .addSecurityRequirements('bearer')
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    autoTagControllers: false,
    operationIdFactory: (controller, method) => `${controller.replace('Controller', '')}_${method}`,
  });
  for (const [path, methods] of Object.entries(document.paths)) complete(path, methods);
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Failure: FAILURE },
  };
  return document;
}

/** A method of several paths has an id for each, which clients that are generated take for a name. */
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

/** Says of each operation what is the same for all of them. */
function complete(path: string, methods: Methods): void {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  for (const operation of [methods.get, methods.post, methods.put, methods.delete, methods.head]) {
    if (!operation) continue;
    const others = (operation.parameters ?? []).filter(
      (each) => !('in' in each && each.in === 'path'),
    );
    const own = names.map((name) => {
      const { pattern, ...said } = PARAMETERS[name] ?? { description: name };
      const schema = { type: 'string' as const, ...(pattern === undefined ? {} : { pattern }) };
      return { name, in: 'path' as const, required: true, ...said, schema };
    });
    if (operation.operationId !== undefined) operation.operationId = idOf(operation.operationId);
    operation.parameters = [...own, ...others];
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
    for (const [status, [kind, message]] of Object.entries(EVERYWHERE))
      operation.responses[status] ??= {
        description: kind,
        content: contentOf(Number(status), message),
      };
    // It is answered by a status alone.
    if (operation === methods.head)
      for (const each of Object.values(operation.responses))
        if (each && 'content' in each) delete each.content;
  }
}
