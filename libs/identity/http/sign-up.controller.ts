import { Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { asksFromOwnPage } from '@app/http';
import {
  addressPrefix,
  type AuthenticatedRequest,
  Describe,
  MillraceError,
  Open,
  readJson,
  ulid,
} from '@app/platform';
import { SIGN_UP, type SignUpConfig } from './sign-up.settings.js';
import { organizationNameProblem } from '../aggregates/organization-names.js';
import { SignUp } from '../commands/users/sign-up.command.js';
import { email, newPassword, personName } from './account-fields.js';
import { SignUpPace } from './sign-up-pace.js';

const signUpBody = z.object({
  email,
  first_name: personName.default(''),
  last_name: personName.default(''),
  password: newPassword,
  organization: z.string().describe('Name of an organization of your own, which is made'),
});

interface SignedUp {
  readonly organization: string;
  /** The e-mail. */
  readonly user: string;
  readonly token: string;
}

const TAG = 'Sign-up';

/** People make accounts by themselves, where the operator allows it. */
@Controller('api/signup')
@Open()
export class SignUpController {
  constructor(
    private readonly commands: CommandBus,
    private readonly pace: SignUpPace,
    @Inject(SIGN_UP) private readonly rule: SignUpConfig,
  ) {}

  @Get()
  @Describe({
    tag: TAG,
    summary:
      'Whether people may sign up here, and with e-mail addresses of which domains (none: all)',
    answer: { code: 200, data: { open: true, domains: ['example.com'] } },
  })
  about(): { code: 200; data: SignUpConfig } {
    const { open, domains } = this.rule;
    return { code: 200, data: { open, domains: open ? domains : [] } };
  }

  @Post()
  @HttpCode(200)
  @Describe({
    tag: TAG,
    summary:
      'Make an account and an organization of its own, of which it is the admin; the answer has the secret of a token that uploads and queries there, this once. Nobody has proven the e-mail then: the account can invite nobody and accept no invitation until root marks it as proven',
    body: {
      schema: signUpBody,
      example: {
        email: 'ann@example.com',
        first_name: 'Ann',
        last_name: 'Lee',
        password: 'Secret-77',
        organization: 'ann-lee',
      },
    },
    answer: {
      code: 200,
      data: { organization: 'ann-lee', user: 'ann@example.com', token: 'mr_…' },
    },
    failures: {
      INVALID_NAME:
        'organization name "Ann Lee": want 1 to 63 of a-z, 0-9, "_" and "-", beginning with a letter or digit',
      ALREADY_EXISTS: 'User already exists',
      FORBIDDEN: 'nobody can sign up at this server; ask its operator for an account',
      TOO_MANY_REQUESTS:
        'as many people have signed up in the last while as may; wait and try again',
    },
  })
  async signUp(@Req() request: AuthenticatedRequest): Promise<{ code: 200; data: SignedUp }> {
    if (!this.rule.open)
      throw new MillraceError(
        'FORBIDDEN',
        'nobody can sign up at this server; ask its operator for an account',
      );
    if (!asksFromOwnPage(request))
      throw new MillraceError('FORBIDDEN', 'people sign up at pages of this server only');
    const body = await readJson(request, signUpBody);
    const { organization } = body;
    const problem = organizationNameProblem(organization);
    if (problem) throw new MillraceError('INVALID_NAME', problem);
    this.checkDomain(body.email);
    const account = {
      email: body.email,
      firstName: body.first_name,
      lastName: body.last_name,
      password: body.password,
    };
    const command = new SignUp(account, organization, contextFrom(request));
    const token = await this.pace.run(addressPrefix(request.ip), () =>
      this.commands.execute<SignUp, string>(command),
    );
    return { code: 200, data: { organization, user: body.email, token } };
  }

  private checkDomain(address: string): void {
    const { domains } = this.rule;
    const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
    if (domains.length === 0 || domains.includes(domain)) return;
    throw new MillraceError(
      'FORBIDDEN',
      `people sign up at this server with e-mail addresses of ${domains.join(', ')} only`,
    );
  }
}

/**
 * An `Idempotency-Key` is ignored here, because strangers have no name that would distinguish their
 * keys.
 */
function contextFrom(request: AuthenticatedRequest): SignUp['context'] {
  const userAgent = request.headers['user-agent'];
  return {
    commandId: ulid(),
    occurredAt: new Date().toISOString(),
    address: request.ip,
    ...(userAgent === undefined ? {} : { userAgent }),
    requestId: request.id,
  };
}
