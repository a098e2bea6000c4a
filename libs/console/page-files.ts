import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { certain } from '@app/platform';

export type Encoding = 'br' | 'gzip';

/** A file of the page, as it is sent. */
export interface PageFile {
  readonly bytes: Buffer;
  readonly type: string;
  /** Undefined means that it is not compressed. */
  readonly encoding: Encoding | undefined;
  readonly tag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
};
/**
 * The names that the build gives its files: a word, a hash, and an ending. No name has a path in
 * it.
 */
const BUILT = /^[a-z-]{1,40}-[A-Z0-9]{8}\.(js|css|txt)$/;
const SUFFIX: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

/** Files that the build has made, each read once: there are few, and they are small. */
export class PageFiles {
  private readonly read = new Map<string, Promise<Buffer | undefined>>();

  /** @param folder where the build puts them, with a slash at its end */
  constructor(private readonly folder: URL) {}

  /**
   * The page itself, for one of the programs. Its bytes are those of the build, except for one
   * word.
   */
  async page(program: string): Promise<PageFile | undefined> {
    const built = await this.bytes('index.html');
    if (!built) return undefined;
    const html = built.toString().replace('data-program=""', `data-program="${program}"`);
    return fileOf(Buffer.from(html), 'html', undefined);
  }

  /** @returns undefined when the build made no such file */
  async asset(name: string, accepted: readonly Encoding[]): Promise<PageFile | undefined> {
    const [, kind] = BUILT.exec(name) ?? [];
    if (kind === undefined) return undefined;
    for (const encoding of accepted) {
      const packed = await this.bytes(name + SUFFIX[encoding]);
      if (packed) return fileOf(packed, kind, encoding);
    }
    const bytes = await this.bytes(name);
    return bytes && fileOf(bytes, kind, undefined);
  }

  private bytes(name: string): Promise<Buffer | undefined> {
    const known = this.read.get(name);
    if (known) return known;
    const reading = readFile(new URL(name, this.folder)).catch(() => undefined);
    // Only files that exist are remembered: they are few, and wrong names may be many.
    void reading.then((bytes) => bytes && this.read.set(name, reading));
    return reading;
  }
}

function fileOf(bytes: Buffer, kind: string, encoding: Encoding | undefined): PageFile {
  const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { bytes, type: certain(TYPES[kind], `type of .${kind}`), encoding, tag };
}
