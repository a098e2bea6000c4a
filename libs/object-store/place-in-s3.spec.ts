import { placeInS3 } from './place-in-s3.js';

describe('a place in S3', () => {
  it.each([
    ['s3://backups', { bucket: 'backups', prefix: '' }],
    ['s3://backups/', { bucket: 'backups', prefix: '' }],
    ['s3://my.backups-1/a/b c//', { bucket: 'my.backups-1', prefix: 'a/b c' }],
    ['/srv/backups', undefined],
    ['s3', undefined],
  ])('%s', (text, place) => expect(placeInS3(text)).toEqual(place));

  it.each(['s3:', 's3://', 's3:///x', 's3://UPPER/x', 's3://b/../x', 's3://b?x'])(
    '%s is refused',
    (text) => expect(() => placeInS3(text)).toThrow(/want s3:\/\/<bucket>\/<folder>/),
  );
});
