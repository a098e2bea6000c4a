import { Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { contextOf } from '@app/event-store';
import { EmailRoute } from '@app/http';
import {
  callerOf,
  Describe,
  MillraceError,
  organizationOf,
  readJson,
  Requires,
  RequiresAccount,
  type AuthenticatedRequest,
} from '@app/platform';
import { ROLES } from '../aggregates/roles.js';
import { AddUser } from '../commands/users/add-user.command.js';
import { ProveEmail } from '../commands/users/prove-email.command.js';
import { PutMember } from '../commands/members/put-member.command.js';
import { RemoveUser } from '../commands/users/remove-user.command.js';
import { UpdateUser, type UserChanges } from '../commands/users/update-user.command.js';
import { MemberList, type UserRecord } from '../people/member-list.js';
import { email, newPassword, personName } from './account-fields.js';
import { done, type Done } from './done.js';
import { NamingPace } from './naming-pace.js';

const role = z.enum(ROLES, { error: `want one of ${ROLES.join(', ')}` });
/** Unknown fields are ignored, as in OpenObserve; none of them ever sets anything. */
const addUser = z.object({
  email,
  first_name: personName.default(''),
  last_name: personName.default(''),
  password: newPassword,
  role,
});
const updateUser = z.object({
  first_name: personName.optional(),
  last_name: personName.optional(),
  role: role.optional(),
  old_password: z.string().optional(),
  new_password: newPassword.optional(),
});
const putMember = z.object({ role });
const putMemberPath = z.object({ email });
const removeQuery = z.object({
  /** For root only: removes the account from all organizations, and erases all personal data. */
  erase: z.enum(['true', 'false']).default('false'),
});

const INVITED = 'Invitation sent';
const TAG = 'Users';
const ANN = { email: 'ann@example.com', first_name: 'Ann', last_name: 'Lee' };

@Controller('api/:org/users')
@Requires('manage-organization')
export class UsersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly members: MemberList,
    private readonly pace: NamingPace,
  ) {}

  @Get()
  @Describe({
    tag: TAG,
    summary: 'Members of the organization',
    answer: { data: [{ ...ANN, role: 'editor', created_at: 1_790_000_000_000_000 }] },
  })
  list(@Req() request: AuthenticatedRequest): { data: readonly UserRecord[] } {
    return { data: this.members.of(organizationOf(request)) };
  }

  @Post()
  @HttpCode(200)
  @Describe({
    tag: TAG,
    summary:
      'Register an account and make it a member (in `default` a viewer); an e-mail that another organization has registered is invited: `Invitation sent`',
    body: { schema: addUser, example: { ...ANN, password: 'Secret-77', role: 'editor' } },
    answer: done('User saved successfully'),
    failures: {
      INVALID_PARAMETER: 'role: want one of admin, editor, member, viewer',
      ALREADY_EXISTS: 'User already exists',
      ORGANIZATION_NOT_FOUND: 'there is no organization nope',
    },
  })
  async add(@Req() request: AuthenticatedRequest): Promise<Done> {
    this.pace.take(request);
    const body = await readJson(request, addUser);
    const account = {
      email: body.email,
      firstName: body.first_name,
      lastName: body.last_name,
      password: body.password,
    };
    const outcome = await this.commands.execute<AddUser, 'added' | 'invited'>(
      new AddUser(
        callerOf(request),
        organizationOf(request),
        account,
        body.role,
        contextOf(request),
      ),
    );
    return done(outcome === 'added' ? 'User saved successfully' : INVITED);
  }

  @Put(':email')
  @Requires('view')
  @Describe({
    tag: TAG,
    summary: 'Change names, password or role; people may change their own names and password',
    body: {
      schema: updateUser,
      example: { old_password: 'Secret-77', new_password: 'Secret-78' },
    },
    answer: done('User updated successfully'),
    failures: {
      INVALID_PARAMETER: 'old_password: this is not the present password',
      FORBIDDEN: 'only an admin of the organization changes roles',
      USER_NOT_FOUND: 'User not found',
    },
  })
  async update(
    @Req() request: AuthenticatedRequest,
    @Param('email') address: string,
  ): Promise<Done> {
    const body = await readJson(request, updateUser);
    const changes = toChanges(body);
    const { firstName, lastName, role: newRole, newPassword: password } = changes;
    if ([firstName, lastName, newRole, password].every((each) => each === undefined)) {
      throw new MillraceError(
        'INVALID_PARAMETER',
        'nothing to update: send any of first_name, last_name, role, new_password',
      );
    }
    await this.commands.execute(
      new UpdateUser(
        callerOf(request),
        organizationOf(request),
        address,
        changes,
        contextOf(request),
      ),
    );
    return done('User updated successfully');
  }

  @Post(':email')
  @EmailRoute()
  @HttpCode(200)
  @RequiresAccount()
  @Describe({
    tag: TAG,
    summary:
      'Make an account a member with a role; who does not administer its other organizations invites it instead: `Invitation sent`, whether there is such an account or not. Makes the organization when there is none, with the caller as its admin',
    body: { schema: putMember, example: { role: 'viewer' } },
    answer: done('User added to org successfully'),
    failures: {
      INVALID_PARAMETER: 'role: want one of admin, editor, member, viewer',
      FORBIDDEN: 'you may not do this in organization acme, or there is no such organization',
      LIMIT_REACHED:
        'an account, with those that it has made, may found at most 10 organizations (MILLRACE_ACCOUNT_ORGANIZATIONS); use one of those, or ask the operator of the server for more',
      USER_NOT_FOUND: 'User not found',
    },
  })
  async put(
    @Req() request: AuthenticatedRequest,
    @Param('org') organization: string,
    @Param('email') address: string,
  ): Promise<Done> {
    this.pace.take(request);
    const body = await readJson(request, putMember);
    const { email: invited } = putMemberPath.parse({ email: address });
    const outcome = await this.commands.execute<PutMember, 'added' | 'invited'>(
      new PutMember(callerOf(request), organization, invited, body.role, contextOf(request)),
    );
    return done(outcome === 'added' ? 'User added to org successfully' : INVITED);
  }

  @Post(':email/proven')
  @HttpCode(200)
  @Describe({
    tag: TAG,
    summary:
      'Mark the e-mail of an account as proven: it may then invite and be invited. For root, and for admins of the organization that registered it; of an account that signed up, and of those it made before it was proven itself, for root only',
    answer: done('E-mail marked as proven'),
    failures: {
      FORBIDDEN:
        'only root, or an admin of the organization that registered the account, marks its e-mail as proven; of an account that signed up, and of those it made before it was proven itself, only root',
      USER_NOT_FOUND: 'User not found',
    },
  })
  async prove(
    @Req() request: AuthenticatedRequest,
    @Param('email') address: string,
  ): Promise<Done> {
    await this.commands.execute(
      new ProveEmail(callerOf(request), organizationOf(request), address, contextOf(request)),
    );
    return done('E-mail marked as proven');
  }

  @Delete(':email')
  @Describe({
    tag: TAG,
    summary:
      'Take an account out of the organization; with its last membership it is erased. `erase=true` (root): out of all, and erased',
    query: removeQuery,
    answer: done('User removed from organization'),
    failures: {
      FORBIDDEN: 'this is the last admin of the organization; make somebody else an admin first',
      USER_NOT_FOUND: 'User for the organization not found',
    },
  })
  async remove(
    @Req() request: AuthenticatedRequest,
    @Param('email') address: string,
    @Query() query: unknown,
  ): Promise<Done> {
    const erase = removeQuery.parse(query).erase === 'true';
    if (erase && !callerOf(request).root)
      throw new MillraceError('FORBIDDEN', 'only root erases an account from all organizations');
    await this.commands.execute(
      new RemoveUser(
        callerOf(request),
        organizationOf(request),
        address,
        erase,
        contextOf(request),
      ),
    );
    return done('User removed from organization');
  }
}

function toChanges(body: z.infer<typeof updateUser>): UserChanges {
  return {
    ...(body.first_name === undefined ? {} : { firstName: body.first_name }),
    ...(body.last_name === undefined ? {} : { lastName: body.last_name }),
    ...(body.role === undefined ? {} : { role: body.role }),
    ...(body.old_password === undefined ? {} : { oldPassword: body.old_password }),
    ...(body.new_password === undefined ? {} : { newPassword: body.new_password }),
  };
}
