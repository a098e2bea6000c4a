/** The time of fewer bytes tells more about the disk's latency than about its pace. */
const TOLD_BY_BYTES = 4 * 1024 * 1024;
/**
 * A core compresses about 500 MB of lines a second, to a fifth, and the engine needs a core's time
 * to read them again. A disk that takes bytes faster than this takes them uncompressed in less.
 */
const FAST_BYTES_A_MS = 400_000;

/** Learns from what is synced to the disk whether the disk is fast. It counts as slow until then. */
export class DiskPace {
  isFast = false;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @param bytes that `sync` makes durable */
  async measure<T>(bytes: number, sync: () => Promise<T>): Promise<T> {
    const began = this.now();
    const result = await sync();
    if (bytes >= TOLD_BY_BYTES) this.isFast = bytes / (this.now() - began) >= FAST_BYTES_A_MS;
    return result;
  }
}
