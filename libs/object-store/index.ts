export { BucketError, S3Bucket, type S3Place } from './s3-bucket.js';
export { placeInS3 } from './place-in-s3.js';
