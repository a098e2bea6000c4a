import { RouteConstraints } from '@nestjs/platform-fastify';

const NAME = 'lastSegment';
const EMAIL = 'email';
const NAMED = 'named';
/** Pages about a stream, whatever the stream's name is. */
const ENDS_IN_PAGE = /\/(?:_values|_around)(?:\?|$)/;
/** The last segment of the path has an @, as it came or percent-encoded. */
const ENDS_IN_EMAIL = /(?:@|%40)[^/?]*(?:\?|$)/i;

/**
 * The route is only for paths that end in an e-mail address: `POST …/users/ann@example.com`.
 * Without this it would take `POST …/users/_json` from the stream that is named `users`.
 */
export const EmailRoute = (): MethodDecorator => RouteConstraints({ [NAME]: EMAIL });

/**
 * The route is for paths that end in a name: `GET …/schema/logs`. Without this it would take
 * `GET …/schema/_values` from the stream that is named `schema`.
 */
export const NamedRoute = (): MethodDecorator => RouteConstraints({ [NAME]: NAMED });

/** The constraint of the router that {@link EmailRoute} and {@link NamedRoute} need. */
export const lastSegmentConstraint = {
  [NAME]: {
    name: NAME,
    storage: <Handler>() => {
      const handlers = new Map<string, Handler>();
      return {
        get: (value: string): Handler | null => handlers.get(value) ?? null,
        set: (value: string, handler: Handler): void => void handlers.set(value, handler),
      };
    },
    deriveConstraint: ({ url = '' }: { readonly url?: string | undefined }): string => {
      if (ENDS_IN_EMAIL.test(url)) return EMAIL;
      return ENDS_IN_PAGE.test(url) ? '' : NAMED;
    },
  },
};
