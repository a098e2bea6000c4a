import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { AuthGuard } from './auth/auth.guard.js';
import { BasicStrategy } from './auth/basic.strategy.js';
import { Login } from './auth/login.js';
import { VerifiedCredentials } from './auth/verified-credentials.js';
import { AddUserHandler } from './commands/add-user.command.js';
import { EnsureRootHandler } from './commands/ensure-root.command.js';
import { PutMemberHandler } from './commands/put-member.command.js';
import { RemoveUserHandler } from './commands/remove-user.command.js';
import { RotatePasscodeHandler } from './commands/rotate-passcode.command.js';
import { UpdateUserHandler } from './commands/update-user.command.js';
import { OrganizationsController } from './http/organizations.controller.js';
import { PeopleResolver } from './http/people.resolver.js';
import { UsersController } from './http/users.controller.js';
import { Accounts } from './people/accounts.js';
import { MemberList } from './people/member-list.js';
import { Memberships } from './people/memberships.js';
import { Passcodes } from './people/passcode.js';

/** Needs from the app: CommandPipeline, ServerKey, PersonalData, UsersProjection, OrganizationsProjection. */
@Module({
  imports: [CqrsModule],
  controllers: [OrganizationsController, UsersController],
  providers: [
    Accounts,
    MemberList,
    Memberships,
    PeopleResolver,
    Passcodes,
    BasicStrategy,
    Login,
    VerifiedCredentials,
    EnsureRootHandler,
    AddUserHandler,
    PutMemberHandler,
    RemoveUserHandler,
    RotatePasscodeHandler,
    UpdateUserHandler,
    { provide: APP_GUARD, useClass: AuthGuard },
  ],
})
export class IdentityModule {}
