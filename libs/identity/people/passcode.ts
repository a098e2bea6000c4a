import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServerKey } from '@app/key-store';

const PURPOSE = 'passcode';
const PREFIX = 'mrp_';
const RANDOM_BYTES = 30;

/** What is known of an organization's passcode. */
interface Owner {
  readonly id: string;
  /** Sealed; undefined before the first one is made. */
  readonly passcode: string | undefined;
}

/** Makes, seals and compares the passcodes of organizations. */
@Injectable()
export class Passcodes {
  /** Fingerprints by sealed form: comparing must not open anything. */
  private readonly fingerprints = new Map<string, Buffer>();

  constructor(private readonly serverKey: ServerKey) {}

  /** A new one, sealed: 44 characters, `mrp_` first. */
  make(organizationId: string): string {
    const passcode = PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
    return this.serverKey.seal(PURPOSE, passcode, organizationId);
  }

  open({ id, passcode }: Owner): string | undefined {
    return passcode === undefined ? undefined : this.serverKey.unseal(PURPOSE, passcode, id);
  }

  /** Whether `secret` is this organization's passcode, in constant time. */
  matches(owner: Owner, secret: string): boolean {
    if (!secret.startsWith(PREFIX) || owner.passcode === undefined) return false;
    return timingSafeEqual(this.fingerprint(secret), this.known(owner, owner.passcode));
  }

  private known(owner: Owner, sealed: string): Buffer {
    let fingerprint = this.fingerprints.get(sealed);
    if (!fingerprint) {
      fingerprint = this.fingerprint(this.open(owner) ?? '');
      this.fingerprints.set(sealed, fingerprint);
    }
    return fingerprint;
  }

  private fingerprint(text: string): Buffer {
    return Buffer.from(this.serverKey.fingerprint(PURPOSE, text), 'hex');
  }
}
