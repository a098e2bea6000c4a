import { RouteConstraints } from '@nestjs/platform-fastify';

const NAME = 'lastSegment';
const EMAIL = 'email';
/** The last segment of the path has an @, as it came or percent-encoded. */
const ENDS_IN_EMAIL = /(?:@|%40)[^/?]*(?:\?|$)/i;

/**
 * The route is only for paths that end in an e-mail address: `POST …/users/ann@example.com`.
 * Without this it would take `POST …/users/_json` from the stream that is named `users`.
 */
export const EmailRoute = (): MethodDecorator => RouteConstraints({ [NAME]: EMAIL });

/** What {@link EmailRoute} needs of the router. */
export const emailConstraint = {
  [NAME]: {
    name: NAME,
    storage: <Handler>() => {
      const handlers = new Map<string, Handler>();
      return {
        get: (value: string): Handler | null => handlers.get(value) ?? null,
        set: (value: string, handler: Handler): void => void handlers.set(value, handler),
      };
    },
    deriveConstraint: ({ url = '' }: { readonly url?: string | undefined }): string =>
      ENDS_IN_EMAIL.test(url) ? EMAIL : '',
  },
};
