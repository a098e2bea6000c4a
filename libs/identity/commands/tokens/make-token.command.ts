import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '@app/event-store';
import { MillraceError, type RequestOrganization, ulid } from '@app/platform';
import type { Token } from '../../aggregates/tokens.js';
import { Memberships } from '../../people/memberships.js';
import { TokenSecrets } from '../../people/token-secrets.js';

type WantedToken = Pick<Token, 'name' | 'role' | 'streams' | 'expiresAt'>;

/** A token, and its secret, which is shown only this once. */
export interface MadeToken {
  readonly token: Token;
  readonly secret: string;
}

/** Makes a token of the organization. The answer contains the secret, which is not stored. */
export class MakeToken {
  constructor(
    readonly organization: RequestOrganization,
    readonly wanted: WantedToken,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(MakeToken)
export class MakeTokenHandler implements ICommandHandler<MakeToken, MadeToken> {
  constructor(
    private readonly memberships: Memberships,
    private readonly secrets: TokenSecrets,
  ) {}

  async execute({ organization, wanted, context }: MakeToken): Promise<MadeToken> {
    const { secret, fingerprint } = this.secrets.make();
    const { actor: madeBy, occurredAt: madeAt } = context;
    const made = { ...wanted, tokenId: ulid(), fingerprint, madeBy, madeAt };
    const tokens = await this.memberships.makeToken(organization.id, made, context);
    const token = tokens.get(wanted.name);
    // The same command again changes nothing. Its secret was shown the first time.
    if (token?.fingerprint !== fingerprint)
      throw new MillraceError(
        'CONFLICT',
        `token ${wanted.name} was made by this request before, and its secret told then; revoke it and make another one`,
      );
    return { token, secret };
  }
}
