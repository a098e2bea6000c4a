import { MillraceError } from '@app/platform';

export const PROTOBUF = 'application/x-protobuf';
export const JSON_TYPE = 'application/json';
export type Encoding = typeof PROTOBUF | typeof JSON_TYPE;

/** @returns undefined for any other type. */
export function encodingOf(contentType: string | undefined): Encoding | undefined {
  const [type = ''] = (contentType ?? '').split(';', 1);
  const name = type.trim().toLowerCase();
  if (name === JSON_TYPE) return JSON_TYPE;
  return name === PROTOBUF || name === 'application/protobuf' ? PROTOBUF : undefined;
}

/** @throws {MillraceError} UNSUPPORTED_ENCODING */
export function wantedEncoding(contentType: string | undefined): Encoding {
  const encoding = encodingOf(contentType);
  if (encoding === undefined)
    throw new MillraceError(
      'UNSUPPORTED_ENCODING',
      'want Content-Type application/x-protobuf or application/json',
    );
  return encoding;
}
