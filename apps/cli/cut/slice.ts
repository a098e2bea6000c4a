/** The content of one request. */
export interface Slice {
  /** The name of the file that the slice comes from, as people are shown it. */
  readonly name: string;
  /** Its first byte within the file. */
  readonly offset: number;
  /** The slice is this much of the file, for the progress; undefined: unknown. */
  readonly bytes: number;
  /** Path below the organization and query: `_json`. */
  readonly route: string;
  readonly query: Readonly<Record<string, string>>;
  readonly contentType: string;
  /** The encoding of what `open` gives. */
  readonly contentEncoding?: 'gzip';
  /** Distinguishes the slice from every other slice of the upload. */
  readonly digest: string;
  /** The body, from its beginning, as often as it is asked for. */
  open(): Promise<Body>;
}

export interface Body {
  readonly content: AsyncIterable<Uint8Array> | Uint8Array;
  /** Bytes, when it is known. */
  readonly length?: number;
}

/** A slice with the name of the upload that it belongs to. */
export interface OwnSlice extends Slice {
  readonly uploadId: string;
}
