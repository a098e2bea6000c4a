import type { ForeignMessage } from '@app/ingest-queue';
import type { RequestOrganization } from '@app/platform';
import { streamNameProblem } from '@app/streams';
import type { UploadFormat } from '../upload/request/upload-request.js';

/** Says which organizations other producers may feed. */
export abstract class FedOrganizations {
  /**
   * Finds the organization by name. The result is undefined when there is none, or when messages
   * may not feed it.
   */
  abstract find(name: string): RequestOrganization | undefined;
}

/** The place that a message's headers name. */
export interface Place {
  readonly organization: RequestOrganization;
  readonly stream: string;
  readonly format: UploadFormat;
  readonly idempotencyKey: string | undefined;
}

/** A message whose place is known. */
export interface PlacedMessage extends Place {
  readonly message: ForeignMessage;
}

const FORMATS: Readonly<Record<string, UploadFormat>> = {
  json: { kind: 'json' },
  ndjson: { kind: 'json' },
  csv: { kind: 'csv', delimiter: undefined },
};

/** Reads a message's headers. @returns the reason, if they name no place. */
export function placeOf(
  headers: ForeignMessage['headers'],
  organizations: FedOrganizations,
): Place | string {
  const { organization: name, stream, format = 'json' } = headers;
  const idempotencyKey = headers['idempotency-key'];
  if (name === undefined || stream === undefined) return 'want the headers organization and stream';
  if (idempotencyKey === '') return 'idempotency-key: want a text, or no such header';
  const organization = organizations.find(name);
  if (!organization)
    return `organization ${name} may not be fed by Kafka, or there is none (KAFKA_UPLOAD_ORGANIZATIONS)`;
  const problem = streamNameProblem(stream);
  if (problem !== undefined) return problem;
  const known = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (!known) return `format ${format}: want one of ${Object.keys(FORMATS).join(', ')}`;
  return { organization, stream, format: known, idempotencyKey };
}
