import { BucketBackups } from '@app/backup';
import { placeInS3, S3Bucket, type S3Place } from '@app/object-store';
import type { Config } from '@app/config';
import { certain, OperatorError } from '@app/platform';

/** @throws {Error} when there are no keys to it */
export function bucketOfBackups({ s3 }: Config, place: S3Place): BucketBackups {
  if (!s3)
    throw new OperatorError(
      `s3://${place.bucket} needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment of this command`,
    );
  return new BucketBackups(new S3Bucket(s3, place.bucket), place);
}

/** Splits the address of a backup into the address of its folder and the name of the backup. */
export function backupInS3(
  text: string,
): { readonly place: S3Place; readonly name: string } | undefined {
  const place = placeInS3(text);
  if (!place) return undefined;
  const components = place.prefix.split('/');
  const name = certain(components.pop(), 'last component of an address');
  if (name === '')
    throw new OperatorError(`${text} names no backup: want s3://<bucket>/<folder>/<backup>`);
  return { place: { bucket: place.bucket, prefix: components.join('/') }, name };
}
