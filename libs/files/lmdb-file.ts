import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * Looks whether an lmdb data file is whole, before it is mapped into memory: a missing page ends
 * the process with a signal, or hangs it if the engine handles signals, and damaged pages are
 * worse. Follows every page that the last transaction names, without reading large values; the file
 * must not be in use. The format is lmdb's own (`mdb.c`, data version 2).
 * @throws {Error} naming the file, when it is cut off or damaged
 */
export function checkLmdbFile(file: string): void {
  if (!existsSync(file)) return;
  const handle = openSync(file, 'r');
  try {
    const { size } = fstatSync(handle);
    // A crash left the file before its first page; lmdb creates it anew.
    if (size > 0) new LmdbFile(handle, size).check();
  } catch (error) {
    // The system's message of a failed read, such as of a bad sector, names no file.
    if (!(error instanceof DamagedPageError))
      throw new Error(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
    throw new Error(
      `${file} is damaged: ${error.message}; restore it from the last backup, together with the rest of the data directory (docs/operations.md, "Backup and restore")`,
      { cause: error },
    );
  } finally {
    closeSync(handle);
  }
}

class DamagedPageError extends Error {}

const MAGIC = 0xbeefc0de;
const HEADER_BYTES = 24;
const TREE_BYTES = 48;
const META = { magic: 24, trees: 48, lastPage: 144, transaction: 152, bytes: 160 } as const;
const FLAG = { branch: 0x01, leaf: 0x02, overflow: 0x04, leaf2: 0x20 } as const;
const NODE = { header: 8, big: 0x01, tree: 0x02, duplicates: 0x04 } as const;
const NO_ROOT = 0xffff_ffff_ffff_ffffn;

interface Tree {
  readonly root: bigint;
}

class LmdbFile {
  private pageBytes = 4096;
  private lastPage = 0n;
  private visited = 0n;

  constructor(
    private readonly handle: number,
    private readonly size: number,
  ) {}

  check(): void {
    for (const tree of this.newestTrees()) this.follow(tree.root);
  }

  /**
   * Reads the trees of the free pages and of the data, as the newer of the two meta pages has them.
   */
  private newestTrees(): readonly Tree[] {
    const first = this.bytes(0, META.bytes);
    const pageBytes = first.readUInt32LE(META.trees);
    if (first.readUInt32LE(META.magic) === MAGIC && isPageSize(pageBytes))
      this.pageBytes = pageBytes;
    const metas = [first, this.bytes(this.pageBytes, META.bytes)].filter(
      (meta) => meta.readUInt32LE(META.magic) === MAGIC,
    );
    if (metas.length < 2) throw new DamagedPageError('its first pages are not those of a store');
    const transaction = (meta: Buffer): bigint => meta.readBigUInt64LE(META.transaction);
    const [a, b] = metas as [Buffer, Buffer];
    const newest = transaction(b) > transaction(a) ? b : a;
    this.lastPage = newest.readBigUInt64LE(META.lastPage);
    return [0, 1].map((index) => treeAt(newest, META.trees + index * TREE_BYTES));
  }

  private follow(page: bigint): void {
    if (page === NO_ROOT) return;
    const bytes = this.page(page);
    const flags = bytes.readUInt16LE(18);
    if ((flags & FLAG.leaf2) !== 0) return;
    if ((flags & (FLAG.branch | FLAG.leaf)) === 0)
      throw new DamagedPageError(`page ${page} is none of a tree`);
    for (const node of nodesOf(bytes, page)) {
      if ((flags & FLAG.branch) !== 0) this.follow(childOf(bytes, node));
      else this.checkLeaf(bytes, node, page);
    }
  }

  private checkLeaf(bytes: Buffer, node: number, page: bigint): void {
    const length = bytes.readUInt32LE(node);
    const flags = bytes.readUInt16LE(node + 4);
    const data = node + NODE.header + bytes.readUInt16LE(node + 6);
    const isBig = (flags & NODE.big) !== 0;
    if (data + (isBig ? 8 : length) > bytes.length)
      throw new DamagedPageError(`page ${page} has a value that ends beyond it`);
    if (isBig) this.checkBig(bytes.readBigUInt64LE(data), length);
    else if ((flags & NODE.tree) !== 0) this.follow(treeAt(bytes, data).root);
  }

  private checkBig(page: bigint, length: number): void {
    const flags = this.page(page).readUInt16LE(18);
    if ((flags & FLAG.overflow) === 0)
      throw new DamagedPageError(`page ${page} does not begin a large value`);
    const end = Number(page) * this.pageBytes + HEADER_BYTES + length;
    if (end > this.size) throw new DamagedPageError('it is cut off in the middle of a large value');
  }

  private page(page: bigint): Buffer {
    this.visited += 1n;
    if (this.visited > this.lastPage) throw new DamagedPageError('its pages go in a circle');
    if (page > this.lastPage) throw new DamagedPageError(`it names page ${page}, beyond its last`);
    const bytes = this.bytes(Number(page) * this.pageBytes, this.pageBytes);
    if (bytes.readBigUInt64LE(0) !== page)
      throw new DamagedPageError(`where page ${page} should be is another`);
    return bytes;
  }

  private bytes(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    if (at + length > this.size)
      throw new DamagedPageError(`it is cut off: it has ${this.size} bytes and should have more`);
    readSync(this.handle, bytes, 0, length, at);
    return bytes;
  }
}

const isPageSize = (bytes: number): boolean =>
  bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0;

const treeAt = (bytes: Buffer, at: number): Tree => ({ root: bytes.readBigUInt64LE(at + 40) });

/** The offset from which all offsets of a page's entries count: the list behind its header. */
function* nodesOf(bytes: Buffer, page: bigint): Iterable<number> {
  const end = HEADER_BYTES + bytes.readUInt16LE(20);
  if (end > bytes.length) throw new DamagedPageError(`page ${page} has no sound list of entries`);
  for (let at = HEADER_BYTES; at + 2 <= end; at += 2) {
    const node = HEADER_BYTES + bytes.readUInt16LE(at);
    const key = node + NODE.header + (node + 8 <= bytes.length ? bytes.readUInt16LE(node + 6) : 0);
    if (node < end || key > bytes.length)
      throw new DamagedPageError(`page ${page} has an entry outside of it`);
    yield node;
  }
}

/** A branch's entry has its page's number where a leaf's has length and flags. */
const childOf = (bytes: Buffer, node: number): bigint =>
  BigInt(bytes.readUInt32LE(node)) | (BigInt(bytes.readUInt16LE(node + 4)) << 32n);
