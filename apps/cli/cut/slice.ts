/** The content of one request. */
export interface Slice {
  /** The name of the file it is of, as it is shown. */
  readonly name: string;
  /** Its first byte within the file. */
  readonly offset: number;
  /** Tells how much of the file it is, for the progress; undefined: unknown. */
  readonly bytes: number;
  /** Path below the organization and query: `_json`. */
  readonly route: string;
  readonly query: Readonly<Record<string, string>>;
  readonly contentType: string;
  /** The encoding of what `open` gives. */
  readonly contentEncoding?: 'gzip';
  /** Tells it from every other slice of the upload. */
  readonly digest: string;
  /** The body, from its beginning, as often as it is asked for. */
  open(): Promise<Body>;
}

export interface Body {
  readonly content: AsyncIterable<Uint8Array> | Uint8Array;
  /** Bytes, when it is known. */
  readonly length?: number;
}
