import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { MillraceError } from '@app/platform';

const FIELDS_MAX = 100;
const MULTIPART = /^multipart\/form-data\b/i;

export const isMultipart = (contentType: string | undefined): contentType is string =>
  contentType !== undefined && MULTIPART.test(contentType);

/**
 * The content of the one file of a form.
 * @throws {MillraceError} MALFORMED_BODY when the form has no file or several, or the body is no
 * form.
 */
export async function* multipartFile(form: Readable, contentType: string): AsyncGenerator<Buffer> {
  const parser = parserOf(contentType);
  const found = once(parser, 'file') as Promise<[string, BusboyFileStream]>;
  const finished = once(parser, 'finish');
  // The failure is reported where the file is read. It must not count as unhandled besides.
  for (const event of [found, finished]) event.catch(() => undefined);
  let file: BusboyFileStream | undefined;
  const fail = (error: Error): void => {
    form.unpipe(parser);
    parser.destroy(error);
    // Otherwise the reader of the file would wait for ever.
    file?.destroy(error);
  };
  form.on('error', fail);
  // The form is not read any further: each of its sections costs as much as a kilobyte of a file.
  parser.on('filesLimit', () =>
    fail(malformed('there is more than one file in it; send one at a time')),
  );
  parser.on('partsLimit', () =>
    fail(malformed(`there are more than ${FIELDS_MAX} fields and files in it; send one file`)),
  );
  form.pipe(parser);
  try {
    const first = await Promise.race([found, finished.then(() => undefined)]);
    if (!first)
      throw malformed('there is no file in it; send one, as with curl -F file=@data.json');
    file = first[1];
    for await (const piece of file as AsyncIterable<Buffer>) yield piece;
    await finished;
  } catch (error) {
    throw error instanceof MillraceError ? error : malformed((error as Error).message);
  } finally {
    form.unpipe(parser);
  }
}

function parserOf(contentType: string): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { files: 1, parts: FIELDS_MAX },
    });
  } catch (error) {
    throw malformed((error as Error).message);
  }
}

const malformed = (message: string): MillraceError =>
  new MillraceError('MALFORMED_BODY', `malformed form: ${message}`);
