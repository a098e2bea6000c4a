/** Ending of columnar files, which names their compression. */
export const COMPRESSION = 'zst';

/** Tells whether the file of a batch is compressed. */
export const isCompressed = (file: string): boolean => file.endsWith(`.${COMPRESSION}`);
