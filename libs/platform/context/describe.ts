import { SetMetadata } from '@nestjs/common';
import type { z } from 'zod';
import type { ErrorBody } from '../errors/error-body.js';
import type { ErrorKind } from '../errors/errors.js';

export type FailureExample = string | ErrorBody;

/** The description of a route on the OpenAPI page. */
export interface RouteDescription {
  /** Heading it stands under, e.g. `Users`. */
  readonly tag: string;
  readonly summary: string;
  /** The same schema that the handler parses the body with. */
  readonly body?: {
    readonly schema: z.ZodType;
    readonly example: unknown;
    /** The content type, if it is not JSON. */
    readonly contentType?: string;
  };
  /** The same schema that the handler parses the query string with. */
  readonly query?: z.ZodObject;
  /** The status of a successful answer; 200 if it is absent. */
  readonly status?: number;
  /** The body of that answer, as a client would see it; absent: it has none. */
  readonly answer?: unknown;
  /** The content type of the answer, if it is not JSON. */
  readonly answerType?: string;
  /** The content type of failures if they are texts, as `FailuresAs` makes them. */
  readonly failureType?: 'text/plain';
  /**
   * The kinds of failure that only this route has, each with an example of its message, or of its
   * body. 401, 403 of the role and 429 are described for all routes.
   */
  readonly failures?: Readonly<Partial<Record<ErrorKind, FailureExample>>>;
}

/** The key under which a route's description is stored. */
export const DESCRIPTION_METADATA = 'millrace:description';

/** Marks controllers that the OpenAPI document leaves out, because they are pages for people. */
export const UNDESCRIBED_METADATA = 'millrace:undescribed';
export const Undescribed = (): ClassDecorator =>
  SetMetadata<string, boolean>(UNDESCRIBED_METADATA, true);

/** Describes a route for the OpenAPI document, from the schemas the route itself uses. */
export const Describe = (route: RouteDescription): MethodDecorator =>
  SetMetadata<string, RouteDescription>(DESCRIPTION_METADATA, route);
