import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { CallerStanding } from '@app/platform';
import { AuthGuard } from './auth/auth.guard.js';
import { BasicStrategy } from './auth/basic.strategy.js';
import { FailedLogins } from './auth/throttle/failed-logins.js';
import { Login } from './auth/login.js';
import { CountedFailures } from './auth/logins/counted-failures.js';
import { PasscodeLogin } from './auth/logins/passcode-login.js';
import { PasswordLogin } from './auth/logins/password-login.js';
import { TokenLogin } from './auth/logins/token-login.js';
import { LoginThrottle } from './auth/throttle/login-throttle.js';
import { Sessions } from './auth/sessions/sessions.js';
import { Standing } from './auth/sessions/standing.js';
import { VerifiedCredentials } from './auth/verified-credentials.js';
import { AddUserHandler } from './commands/users/add-user.command.js';
import { AnswerInvitationHandler } from './commands/members/answer-invitation.command.js';
import { DeleteOrganizationHandler } from './commands/organizations/delete-organization.command.js';
import { EnsureRootHandler } from './commands/installation/ensure-root.command.js';
import { MakeTokenHandler } from './commands/tokens/make-token.command.js';
import { NarrowDefaultHandler } from './commands/installation/narrow-default.command.js';
import { ProveEmailHandler } from './commands/users/prove-email.command.js';
import { PutMemberHandler } from './commands/members/put-member.command.js';
import { RemoveUserHandler } from './commands/users/remove-user.command.js';
import { RenameOrganizationHandler } from './commands/organizations/rename-organization.command.js';
import { RevokeTokenHandler } from './commands/tokens/revoke-token.command.js';
import { RotatePasscodeHandler } from './commands/organizations/rotate-passcode.command.js';
import { SignUpHandler } from './commands/users/sign-up.command.js';
import { UpdateUserHandler } from './commands/users/update-user.command.js';
import { WithdrawInvitationHandler } from './commands/members/withdraw-invitation.command.js';
import { InvitationsController } from './http/invitations.controller.js';
import { NamingPace } from './http/naming-pace.js';
import { OrganizationsController } from './http/organizations.controller.js';
import { PeopleResolver } from './http/people.resolver.js';
import { SessionsController } from './http/sessions.controller.js';
import { SignUpPace } from './http/sign-up-pace.js';
import { SignUpController } from './http/sign-up.controller.js';
import { TokensController } from './http/tokens.controller.js';
import { UsersController } from './http/users.controller.js';
import { AccountOwners } from './people/account-owners.js';
import { Accounts } from './people/accounts.js';
import { InvitationService } from './people/invitation-service.js';
import { MemberList } from './people/member-list.js';
import { Memberships } from './people/memberships.js';
import { Passcodes } from './people/passcode.js';
import { TokenSecrets } from './people/token-secrets.js';

/** Needs from the app: CommandPipeline, ServerKey, PersonalData, UsersProjection, OrganizationsProjection, InvitationsProjection, EndedSessionsProjection, KnownAddresses, DatabaseNames, SIGN_UP. */
@Module({
  imports: [CqrsModule],
  controllers: [
    InvitationsController,
    OrganizationsController,
    SessionsController,
    SignUpController,
    TokensController,
    UsersController,
  ],
  providers: [
    AccountOwners,
    Accounts,
    InvitationService,
    MemberList,
    Memberships,
    NamingPace,
    PeopleResolver,
    Passcodes,
    TokenSecrets,
    BasicStrategy,
    FailedLogins,
    Login,
    CountedFailures,
    PasscodeLogin,
    PasswordLogin,
    TokenLogin,
    { provide: LoginThrottle, useFactory: () => new LoginThrottle() },
    Sessions,
    SignUpPace,
    VerifiedCredentials,
    EnsureRootHandler,
    AddUserHandler,
    AnswerInvitationHandler,
    DeleteOrganizationHandler,
    MakeTokenHandler,
    NarrowDefaultHandler,
    ProveEmailHandler,
    PutMemberHandler,
    RemoveUserHandler,
    RenameOrganizationHandler,
    RevokeTokenHandler,
    RotatePasscodeHandler,
    SignUpHandler,
    UpdateUserHandler,
    WithdrawInvitationHandler,
    { provide: APP_GUARD, useClass: AuthGuard },
    { provide: CallerStanding, useClass: Standing },
  ],
  exports: [CallerStanding],
})
export class IdentityModule {}
