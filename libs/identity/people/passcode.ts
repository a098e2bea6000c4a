import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServerKey } from '@app/key-store';
import type { PasscodeRotated } from '../aggregates/organization-events.js';

const PURPOSE = 'passcode';
const PREFIX = 'mrp_';
const RANDOM_BYTES = 30;

/** The known facts about an organization's passcode. */
interface Owner {
  readonly id: string;
  /** Sealed; undefined before the first one is made. */
  readonly passcode: string | undefined;
}

/** Makes, seals and compares the passcodes of organizations. */
@Injectable()
export class Passcodes {
  /**
   * The fingerprint of the last passcode of each organization, by its id. With it, a comparison
   * needs no decryption.
   */
  private readonly fingerprints = new Map<string, { sealed: string; fingerprint: Buffer }>();

  constructor(private readonly serverKey: ServerKey) {}

  /** A new passcode, sealed: 44 characters that begin with `mrp_`. */
  make(organizationId: string): string {
    const passcode = PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
    return this.serverKey.seal(PURPOSE, passcode, organizationId);
  }

  open({ id, passcode }: Owner): string | undefined {
    return passcode === undefined ? undefined : this.serverKey.unseal(PURPOSE, passcode, id);
  }

  /** Tells whether a `PasscodeRotated` was sealed with this key. */
  opens({ data }: { readonly data: unknown }): boolean {
    const { organizationId, passcode } = data as PasscodeRotated['data'];
    try {
      return this.open({ id: organizationId, passcode }) !== undefined;
    } catch {
      return false;
    }
  }

  /** Tells whether `secret` is this organization's passcode, in constant time. */
  matches(owner: Owner, secret: string): boolean {
    if (!secret.startsWith(PREFIX) || owner.passcode === undefined) return false;
    return timingSafeEqual(this.fingerprint(secret), this.known(owner, owner.passcode));
  }

  private known(owner: Owner, sealed: string): Buffer {
    const known = this.fingerprints.get(owner.id);
    if (known?.sealed === sealed) return known.fingerprint;
    const fingerprint = this.fingerprint(this.serverKey.unseal(PURPOSE, sealed, owner.id));
    this.fingerprints.set(owner.id, { sealed, fingerprint });
    return fingerprint;
  }

  private fingerprint(text: string): Buffer {
    return Buffer.from(this.serverKey.fingerprint(PURPOSE, text), 'hex');
  }
}
