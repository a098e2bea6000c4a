import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServerKey } from '@app/key-store';
import { isOver, type Token } from '../aggregates/tokens.js';
import { OrganizationsProjection } from '../projections/organizations.projection.js';

const PURPOSE = 'token';
/** Tells people, and programs that look for secrets in texts, what it is. */
const PREFIX = 'mr_';
const RANDOM_BYTES = 32;

/**
 * Makes the secrets of tokens, and finds whose one is. Only a fingerprint by the server's key is
 * kept. A secret is looked up by it: how long that takes depends on what nobody outside can know.
 */
@Injectable()
export class TokenSecrets {
  constructor(
    private readonly serverKey: ServerKey,
    private readonly organizations: OrganizationsProjection,
  ) {}

  /** A new one: 46 characters, `mr_` first. */
  make(): { readonly secret: string; readonly fingerprint: string } {
    const secret = PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
    return { secret, fingerprint: this.fingerprint(secret) };
  }

  /** The token that this is the secret of, with whether it has expired. */
  find(secret: string): { readonly token: Token; readonly expired: boolean } | undefined {
    const token = this.organizations.token(this.fingerprint(secret));
    return token && { token, expired: isOver(token, new Date().toISOString()) };
  }

  private fingerprint(secret: string): string {
    return this.serverKey.lastingFingerprint(PURPOSE, secret);
  }
}
