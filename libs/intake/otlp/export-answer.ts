import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { FailureForm } from '@app/http';
import type { MillraceError } from '@app/platform';
import { encodingOf, JSON_TYPE, PROTOBUF, type Encoding } from '../protobuf/media-types.js';
import type { LinesStored } from '../upload/line-uploads.js';

/**
 * `Export…ServiceResponse`; the fields of its `partial_success` have the same numbers for logs,
 * spans and data points.
 * @param rejectedName of that count in JSON
 */
export function answerOf(
  { failed, error = '' }: LinesStored,
  encoding: Encoding,
  rejectedName: string,
): Buffer {
  if (encoding === JSON_TYPE)
    return Buffer.from(
      JSON.stringify(
        failed === 0
          ? {}
          : { partialSuccess: { [rejectedName]: String(failed), errorMessage: error } },
      ),
    );
  const answer = new BinaryWriter();
  if (failed > 0) {
    answer.tag(1, WireType.LengthDelimited).fork();
    answer.tag(1, WireType.Varint).int64(failed);
    answer.tag(2, WireType.LengthDelimited).string(error);
    answer.join();
  }
  return Buffer.from(answer.finish());
}

/** Codes of `google.rpc.Status` by HTTP's. */
const CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  408: 4,
  409: 10,
  413: 8,
  415: 3,
  429: 8,
  503: 14,
};
const INTERNAL = 13;

/** A failure as `google.rpc.Status`, in the encoding of the request. */
export const asStatus: FailureForm = (failure: MillraceError, { headers }) => {
  const encoding = encodingOf(headers['content-type']);
  if (encoding === undefined) return undefined;
  const { message } = failure;
  const code = CODES[failure.status] ?? INTERNAL;
  if (encoding === JSON_TYPE) return { type: JSON_TYPE, body: JSON.stringify({ code, message }) };
  const status = new BinaryWriter();
  status.tag(1, WireType.Varint).int32(code);
  status.tag(2, WireType.LengthDelimited).string(message);
  return { type: PROTOBUF, body: Buffer.from(status.finish()) };
};
