import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { BasicStrategy as PassportBasicStrategy } from 'passport-http';
import { MillraceError, type Caller } from '@app/platform';
import { VerifiedCredentials } from './verified-credentials.js';

/** HTTP Basic: the user name is the e-mail. */
@Injectable()
export class BasicStrategy extends PassportStrategy(PassportBasicStrategy) {
  constructor(private readonly credentials: VerifiedCredentials) {
    super({ realm: 'millrace' });
  }

  async validate(email: string, password: string): Promise<Caller | false> {
    if (this.credentials.overloaded) {
      throw new MillraceError('TOO_MANY_REQUESTS', 'too many logins at once; try again', {
        retryAfterSeconds: 5,
      });
    }
    const user = await this.credentials.check(email, password);
    return user ? { userId: user.id, email: user.email, root: user.root } : false;
  }
}
