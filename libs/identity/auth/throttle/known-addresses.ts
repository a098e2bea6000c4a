import { readFileSync } from 'node:fs';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { z } from 'zod';
import type { ServerKey } from '@app/key-store';
import { writeDurably } from '@app/files';

const PURPOSE = 'known-address';
const FINGERPRINT_LENGTH = 32;
const PER_ACCOUNT_MAX = 32;
const ALL_MAX = 50_000;
const HOUR_MS = 60 * 60 * 1000;
const FORGOTTEN_MS = 30 * 24 * HOUR_MS;
const SAVE_MS = 60_000;

/** Account id → fingerprint of a prefix → when it last logged in, in milliseconds since the epoch. */
const keptFile = z.record(z.string(), z.record(z.string(), z.number()));

/**
 * Address prefixes that accounts have logged in from in the last 30 days, as fingerprints with a
 * key that only the server has. They are kept in a file of the data directory: They only help, so a
 * crash may lose the last minute, and a file that cannot be read is no error.
 */
@Injectable()
export class KnownAddresses implements OnApplicationShutdown {
  private readonly logger = new Logger('known-addresses');
  /** Accounts are in the order of their last login. */
  private readonly accounts = new Map<string, Map<string, number>>();
  private count = 0;
  private saving: NodeJS.Timeout | undefined;

  constructor(
    private readonly serverKey: ServerKey,
    private readonly file: string,
    /** Tells whether an account exists. Addresses of deleted accounts are not kept. */
    private readonly exists: (accountId: string) => boolean,
    private readonly now: () => number = Date.now,
  ) {
    this.load();
  }

  /** @param accountId undefined for an e-mail without an account, which takes the same time */
  has(accountId: string | undefined, prefix: string): boolean {
    const fingerprint = this.fingerprint(accountId ?? '', prefix);
    const last = this.accounts.get(accountId ?? '')?.get(fingerprint);
    return last !== undefined && this.now() - last < FORGOTTEN_MS;
  }

  remember(accountId: string, prefix: string): void {
    const fingerprint = this.fingerprint(accountId, prefix);
    const now = this.now();
    const known = this.accounts.get(accountId)?.get(fingerprint);
    if (known !== undefined && now - known < HOUR_MS) return;
    this.put(accountId, fingerprint, now);
    this.saving ??= setTimeout(() => void this.save(), SAVE_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.saving !== undefined) await this.save();
  }

  private fingerprint(accountId: string, prefix: string): string {
    return this.serverKey
      .lastingFingerprint(PURPOSE, `${accountId} ${prefix}`)
      .slice(0, FINGERPRINT_LENGTH);
  }

  private put(accountId: string, fingerprint: string, time: number): void {
    const ofAccount = this.accounts.get(accountId) ?? new Map<string, number>();
    this.accounts.delete(accountId);
    this.accounts.set(accountId, ofAccount);
    if (!ofAccount.delete(fingerprint)) this.count += 1;
    ofAccount.set(fingerprint, time);
    const [oldest] = ofAccount.keys();
    if (ofAccount.size > PER_ACCOUNT_MAX && oldest !== undefined) {
      ofAccount.delete(oldest);
      this.count -= 1;
    }
    for (const [id, { size }] of this.accounts) {
      if (this.count <= ALL_MAX) return;
      this.accounts.delete(id);
      this.count -= size;
    }
  }

  private load(): void {
    try {
      const kept = keptFile.parse(JSON.parse(readFileSync(this.file, 'utf8')));
      for (const [id, prefixes] of Object.entries(kept))
        for (const [fingerprint, time] of Object.entries(prefixes)) this.put(id, fingerprint, time);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      this.logger.warn(`${this.file} cannot be read; it is made again: ${String(error)}`);
    }
  }

  private async save(): Promise<void> {
    clearTimeout(this.saving);
    this.saving = undefined;
    const kept = [...this.accounts].filter(([id]) => this.exists(id));
    const content = Object.fromEntries(
      kept.map(([id, prefixes]) => [id, Object.fromEntries(prefixes)]),
    );
    await writeDurably(this.file, JSON.stringify(content)).catch((error: unknown) => {
      this.logger.warn(`${this.file} cannot be written: ${String(error)}`);
    });
  }
}
