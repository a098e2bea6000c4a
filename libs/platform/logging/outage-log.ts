/**
 * Logs an outage once, and not for each call that fails meanwhile. Otherwise every request would
 * write to the log while a store is away.
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
