import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { MillraceError } from '@app/platform';

/** Tells how the protocol of a route writes a failure. Undefined: as all others. */
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

/** The route answers failures in this form, those of its guards too; their status and headers stay. */
export const FailuresAs = (form: FailureForm): MethodDecorator => RouteConfig({ [CONFIG]: form });

export const failureForm = ({ routeOptions }: FastifyRequest): FailureForm | undefined =>
  (routeOptions.config as { readonly [CONFIG]?: FailureForm } | undefined)?.[CONFIG];
