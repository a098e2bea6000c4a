import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { BasicStrategy as PassportBasicStrategy } from 'passport-http';
import type { Caller } from '@app/platform';
import { VerifiedCredentials } from './verified-credentials.js';

interface WithAuthorization {
  readonly headers: { readonly authorization?: string };
}

/** HTTP Basic: the user name is the e-mail. */
@Injectable()
export class BasicStrategy extends PassportStrategy(PassportBasicStrategy) {
  constructor(private readonly credentials: VerifiedCredentials) {
    super({ realm: 'millrace', passReqToCallback: true });
  }

  async validate(request: WithAuthorization, email: string): Promise<Caller | false> {
    const user = await this.credentials.check(email, passwordIn(request));
    return user ? { userId: user.id, email: user.email, root: user.root } : false;
  }
}

/** passport-http ends a password at its first colon; this one has the whole. */
function passwordIn({ headers }: WithAuthorization): string {
  const [, encoded = ''] = (headers.authorization ?? '').split(' ');
  const pair = Buffer.from(encoded, 'base64').toString();
  return pair.slice(pair.indexOf(':') + 1);
}
