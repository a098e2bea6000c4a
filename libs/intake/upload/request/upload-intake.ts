import { Inject, Injectable } from '@nestjs/common';
import {
  MillraceError,
  organizationOf,
  type AuthenticatedRequest,
  type RequestOrganization,
} from '@app/platform';
import { type UploadLimits, UPLOAD_LIMITS } from '../../upload.settings.js';
import { watchPace } from '../../frame/client-pace.js';
import { decodeBody, isUnencoded } from '../../frame/decode-body.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import type { Uploader } from '../../store/stream-schemas.js';
import { isShort, shortBody } from '../../frame/short-body.js';
import { StorageBounds } from '../../store/storage-bounds.js';
import { UploadRates } from './upload-rates.js';
import { uploaderOf } from '../../store/uploader.js';

/** The failures that every route with a body may answer; see {@link UploadIntake}. */
export const INTAKE_FAILURES = {
  UPLOAD_TOO_LARGE: 'an upload may have at most 5368709120 bytes; split it',
  CONFLICT: 'this Idempotency-Key was sent with another upload; use a new one for each upload',
  UNSUPPORTED_ENCODING: 'want Content-Encoding gzip, deflate, br or zstd',
  TOO_MANY_REQUESTS: 'this organization uploads more than it may; wait and send it again',
  LIMIT_REACHED:
    'stream logs would be one more than the 1000 that an organization may have (MILLRACE_ORG_STREAMS); nothing was stored in it; delete streams, or ask the operator of the server for more',
  STORAGE_FULL:
    'this organization keeps about 1024.0 MiB of the 1024.0 MiB it may keep (MILLRACE_ORG_STORAGE_BYTES), with what waits to be written; nothing of this upload was stored; delete streams, or shorten their data_retention',
  QUEUE_FULL: 'the ingest queue is full; nothing of this upload was stored; try again later',
} as const;

/** An admitted upload whose body has not been read yet. */
export interface TakenUpload {
  readonly organization: RequestOrganization;
  readonly uploader: Uploader;
  /** Decoded, and counted against the organization's rate. */
  readonly body: AsyncIterable<Buffer>;
  /** The length of the body, if it is known before it has come. */
  readonly bytes: number | undefined;
  readonly maxBytes: number;
  readonly maxRecordBytes: number;
  readonly idempotencyKey?: string;
  /** Admits so many bytes of an answer that is kept with a key. @throws {MillraceError} */
  readonly admitAnswer: (bytes: number) => void;
}

type Body = ReturnType<typeof decodeBody>;

/** Admits uploads of every format. */
@Injectable()
export class UploadIntake {
  constructor(
    private readonly rates: UploadRates,
    private readonly storage: StorageBounds,
    @Inject(UPLOAD_LIMITS) private readonly limits: UploadLimits,
  ) {}

  /**
   * @param unwrap extracts the uploaded file from the decoded body
   * @param left an encoding that the caller decodes
   * @throws {MillraceError} UPLOAD_TOO_LARGE, TOO_MANY_REQUESTS, STORAGE_FULL, INVALID_PARAMETER,
   *   UNSUPPORTED_ENCODING
   */
  async take(
    request: AuthenticatedRequest,
    unwrap?: (decoded: Body) => AsyncIterable<Buffer>,
    left?: string,
  ): Promise<TakenUpload> {
    const organization = organizationOf(request);
    const { maxBytes, maxRecordBytes } = this.limits;
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > maxBytes)
      throw new MillraceError(
        'UPLOAD_TOO_LARGE',
        `an upload may have at most ${maxBytes} bytes; split it`,
      );
    this.rates.admit(organization.share);
    await this.storage.admit(organization);
    const idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key']);
    if (idempotencyKey !== undefined) this.admitKeyed(organization);
    return {
      organization,
      uploader: uploaderOf(request),
      body: this.rates.counted(organization.share, this.bodyOf(request, unwrap, left)),
      bytes:
        isUnencoded(request.headers['content-encoding']) && declared > 0 ? declared : undefined,
      maxBytes,
      maxRecordBytes,
      admitAnswer: (bytes) => this.rates.admitAnswer(organization.share, bytes),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    };
  }

  /** Admits an upload whose name we make. @throws {MillraceError} TOO_MANY_REQUESTS */
  admitKeyed({ share }: RequestOrganization): void {
    this.rates.admitKeyed(share);
  }

  private bodyOf(
    { raw }: AuthenticatedRequest,
    unwrap: ((decoded: Body) => AsyncIterable<Buffer>) | undefined,
    left: string | undefined,
  ): AsyncIterable<Buffer> {
    if (!unwrap && isShort(raw)) return shortBody(raw, this.limits);
    const sent = raw.headers['content-encoding'];
    const encoding = left !== undefined && sent === left ? undefined : sent;
    const decoded = decodeBody(raw, encoding, this.limits.maxBytes);
    watchPace(raw, this.limits, (failure) => decoded.destroy(failure));
    return unwrap ? unwrap(decoded) : decoded;
  }
}
