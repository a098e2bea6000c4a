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
    /** When it is not JSON. */
    readonly contentType?: string;
  };
  /** The same schema that the handler parses the query string with. */
  readonly query?: z.ZodObject;
  /** The status of an answer that went well; 200 unless it says another. */
  readonly status?: number;
  /** Body of that answer, as a client would see it; absent: it has none. */
  readonly answer?: unknown;
  /** When the answer is not JSON. */
  readonly answerType?: string;
  /** When failures are told as text, which `FailuresAs` sees to. */
  readonly failureType?: 'text/plain';
  /** Kinds of failure peculiar to this route, each with a message it may have, or with the body it is. 401, 403 of the role and 429 go without saying. */
  readonly failures?: Readonly<Partial<Record<ErrorKind, FailureExample>>>;
}

/** Tells where a route's description is kept. */
export const DESCRIPTION_METADATA = 'millrace:description';

/** Marks controllers that the OpenAPI document leaves out: pages for people. */
export const UNDESCRIBED_METADATA = 'millrace:undescribed';
export const Undescribed = (): ClassDecorator =>
  SetMetadata<string, boolean>(UNDESCRIBED_METADATA, true);

/** Describes a route for the OpenAPI document, from the schemas the route itself uses. */
export const Describe = (route: RouteDescription): MethodDecorator =>
  SetMetadata<string, RouteDescription>(DESCRIPTION_METADATA, route);
