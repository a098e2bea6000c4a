import { OperatorError } from '@app/platform';
import type { S3Place } from './s3-bucket.js';

const PLACE = /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]*)(?:\/(?<prefix>.*))?$/;

/** @returns undefined when the text does not begin with `s3:` @throws {Error} when it names no bucket, or leads up */
export function placeInS3(text: string): S3Place | undefined {
  if (!text.startsWith('s3:')) return undefined;
  const { bucket, prefix = '' } = PLACE.exec(text)?.groups ?? {};
  const segments = prefix.split('/').filter((segment) => segment !== '');
  if (bucket === undefined || segments.some((segment) => segment === '.' || segment === '..'))
    throw new OperatorError(`${text} is no place in S3: want s3://<bucket>/<folder>`);
  return { bucket, prefix: segments.join('/') };
}
