/**
 * Logs an outage once, and not each call that fails meanwhile. While a store is away, everybody who
 * asks would write the log otherwise.
 */
export class OutageLog {
  private isLogged = false;

  /** A call has failed. @param log is called for the first failure of an outage only */
  failed(log: () => void): void {
    if (!this.isLogged) log();
    this.isLogged = true;
  }

  /** A call has succeeded, so the next failure belongs to another outage. */
  succeeded(): void {
    this.isLogged = false;
  }
}
