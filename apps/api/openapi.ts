import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { describeRoutes } from './describe-routes.js';

const DESCRIPTION = `Upload files into streams and query them at once.

Every request needs HTTP Basic: e-mail and password, or e-mail and the organization's passcode for upload and query. Failures are JSON: \`{"code", "message", "error_detail"?}\`. Every response says its \`X-Request-Id\`. Commands take an \`Idempotency-Key\` header: sent again with it, they change nothing a second time.`;

/** Path parameters, by name, wherever they stand. */
const PARAMETERS: Readonly<Record<string, string>> = {
  org: 'Name of the organization',
  stream: 'Name of the stream',
  table: 'Name of the stream, as a table',
  email: 'E-mail of the account',
  key: 'What is looked up',
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

/** The page loads nothing from elsewhere and sends nothing elsewhere. Its styles stand within it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

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
    .addBasicAuth()
    .addSecurityRequirements('basic')
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    autoTagControllers: false,
    operationIdFactory: (controller, method) => `${controller.replace('Controller', '')}_${method}`,
  });
  for (const [path, methods] of Object.entries(document.paths)) complete(path, methods);
  return document;
}

type Methods = OpenAPIObject['paths'][string];

/** Says of each operation what is the same for all of them. */
function complete(path: string, methods: Methods): void {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  for (const operation of [methods.get, methods.post, methods.put, methods.delete]) {
    if (!operation) continue;
    const others = (operation.parameters ?? []).filter(
      (each) => !('in' in each && each.in === 'path'),
    );
    const own = names.map((name) => ({
      name,
      in: 'path' as const,
      required: true,
      description: PARAMETERS[name] ?? name,
      schema: { type: 'string' as const },
    }));
    operation.parameters = [...own, ...others];
    if (!path.startsWith('/api/')) {
      operation.security = [];
      continue;
    }
    for (const [status, [kind, message]] of Object.entries(EVERYWHERE)) {
      operation.responses[status] ??= {
        description: kind,
        content: { 'application/json': { example: { code: Number(status), message } } },
      };
    }
  }
}
