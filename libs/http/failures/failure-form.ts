import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { MillraceError } from '@app/platform';

/** The form in which the protocol of a route writes a failure. Undefined means the common form. */
export type FailureForm = (
  failure: MillraceError,
  request: FastifyRequest,
) =>
  | {
      readonly type: string;
      readonly body: string | Buffer;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | undefined;

const CONFIG = 'failureForm';

/** The route, and its guards, answer failures in this form. Status and headers stay the same. */
export const FailuresAs = (form: FailureForm): MethodDecorator => RouteConfig({ [CONFIG]: form });

export const failureForm = ({ routeOptions }: FastifyRequest): FailureForm | undefined =>
  (routeOptions.config as { readonly [CONFIG]?: FailureForm } | undefined)?.[CONFIG];
