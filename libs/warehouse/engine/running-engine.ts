/** The engine while it runs. */
export interface RunningEngine {
  /** Counts starts, because no generation knows what an earlier one was asked. */
  readonly generation: number;
  /** `http://host:port`. */
  readonly origin: string;
  /** The secret path of its address. */
  readonly path: string;
  readonly pid: number;
}
