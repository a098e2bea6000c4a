import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { BasicStrategy as PassportBasicStrategy } from 'passport-http';
import type { AuthenticatedRequest, Caller } from '@app/platform';
import { Login } from './login.js';

/** HTTP Basic: the user name is the e-mail. */
@Injectable()
export class BasicStrategy extends PassportStrategy(PassportBasicStrategy) {
  constructor(private readonly login: Login) {
    super({ realm: 'millrace', passReqToCallback: true });
  }

  async validate(request: AuthenticatedRequest, email: string): Promise<Caller | false> {
    const caller = await this.login.attempt({
      email,
      secret: passwordIn(request),
      organization: (request.params as { org?: string }).org,
      address: request.ip,
      userAgent: request.headers['user-agent'],
      requestId: request.id,
    });
    return caller ?? false;
  }
}

/**
 * passport-http drops the rest of a password behind its first colon. This takes the whole password.
 */
function passwordIn({ headers }: AuthenticatedRequest): string {
  const [, encoded = ''] = (headers.authorization ?? '').split(' ');
  const pair = Buffer.from(encoded, 'base64').toString();
  return pair.slice(pair.indexOf(':') + 1);
}
