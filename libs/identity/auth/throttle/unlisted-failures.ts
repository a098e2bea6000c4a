interface Counts {
  /** Logins with a wrong password. */
  readonly failed: number;
  /** Logins that were not checked, because there were too many attempts. */
  readonly refused: number;
}

const PREFIXES_MAX = 1000;
const SHOWN_MAX = 5;

/** Failed logins without an event of their own: their number, and where most of them came from. */
export class UnlistedFailures {
  private failed = 0;
  private refused = 0;
  private readonly prefixes = new Map<string, number>();
  /** Counts the failures of prefixes that are not counted one by one. */
  private elsewhere = 0;

  get isEmpty(): boolean {
    return this.failed + this.refused === 0;
  }

  add(prefix: string, { failed, refused }: Counts): void {
    this.failed += failed;
    this.refused += refused;
    this.addFrom(prefix, failed + refused);
  }

  /** Adds the counts of another instance. */
  merge(other: UnlistedFailures): void {
    this.failed += other.failed;
    this.refused += other.refused;
    this.elsewhere += other.elsewhere;
    for (const [prefix, count] of other.prefixes) this.addFrom(prefix, count);
  }

  summary() {
    const { failed, refused, prefixes, elsewhere } = this;
    const more = elsewhere > 0 ? { morePrefixes: true as const } : {};
    return { failed, refused, prefixes: prefixes.size, ...more };
  }

  /** The prefixes that most failures came from, with their number, as one text. */
  addresses(): string {
    const most = [...this.prefixes].sort(([, one], [, other]) => other - one).slice(0, SHOWN_MAX);
    return most.map(([prefix, count]) => `${prefix} (${count})`).join(', ');
  }

  private addFrom(prefix: string, count: number): void {
    const known = this.prefixes.get(prefix);
    if (known === undefined && this.prefixes.size >= PREFIXES_MAX) this.elsewhere += count;
    else this.prefixes.set(prefix, (known ?? 0) + count);
  }
}
