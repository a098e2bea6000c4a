import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServerKey } from '@app/key-store';
import { isOver, type Token } from '../aggregates/tokens.js';
import { OrganizationsProjection } from '../projections/organizations.projection.js';

const PURPOSE = 'token';
/** Shows people, and programs that search texts for secrets, what it is. */
const PREFIX = 'mr_';
const RANDOM_BYTES = 32;

/**
 * Makes the secrets of tokens, and finds the token of a secret. Only a fingerprint by the server's
 * key is stored. Secrets are looked up by fingerprint, so the time of a look-up reveals nothing
 * about a secret.
 */
@Injectable()
export class TokenSecrets {
  constructor(
    private readonly serverKey: ServerKey,
    private readonly organizations: OrganizationsProjection,
  ) {}

  /** A new secret: 46 characters that begin with `mr_`. */
  make(): { readonly secret: string; readonly fingerprint: string } {
    const secret = PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
    return { secret, fingerprint: this.fingerprint(secret) };
  }

  /** The token that has this secret, and whether it has expired. */
  find(secret: string): { readonly token: Token; readonly expired: boolean } | undefined {
    const token = this.organizations.token(this.fingerprint(secret));
    return token && { token, expired: isOver(token, new Date().toISOString()) };
  }

  private fingerprint(secret: string): string {
    return this.serverKey.lastingFingerprint(PURPOSE, secret);
  }
}
