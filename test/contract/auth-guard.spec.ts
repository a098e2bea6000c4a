import { Controller, Get, Module, Req, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { join } from 'node:path';
import { CommandPipeline, EventStore } from '@app/event-store';
import {
  ACCOUNT_BOUNDS,
  DatabaseNames,
  EndedSessionsProjection,
  InvitationsProjection,
  KnownAddresses,
  OrganizationsProjection,
  PersonalData,
  UsersProjection,
  SIGN_UP,
} from '@app/identity';
import { ServerKey } from '@app/key-store';
import { lastSegmentConstraint, ErrorFilter } from '@app/http';
import {
  type ErrorBody,
  createLogger,
  Open,
  organizationOf,
  Requires,
  RequiresAccount,
  type AuthenticatedRequest,
} from '@app/platform';
import { readConfig } from '@app/config';
import { newDatabaseName } from '@app/warehouse';
import { ROLES, type Role } from '../../libs/identity/aggregates/roles.js';
import { userAggregate } from '../../libs/identity/aggregates/user.aggregate.js';
import { IdentityModule } from '../../libs/identity/identity.module.js';
import { hashPassword } from '../../libs/identity/auth/password-hash.js';
import {
  by,
  eventsOf,
  openSite,
  organizationOf as organizationOfName,
  startNode,
  type Node,
} from './node.js';
import { until } from '../server/until.js';

/** The password has colons, because a Basic header is easily cut at one. */
const PASSWORD = 'Secret:77:x';

@Controller('probe')
class ProbeController {
  @Requires('query')
  @Get(':org/query')
  query(@Req() request: AuthenticatedRequest): object {
    return { caller: request.caller, organization: organizationOf(request) };
  }

  @Requires('upload')
  @Get(':org/upload')
  upload(): void {}

  @Requires('configure-streams')
  @Get(':org/configure-streams')
  manageStreams(): void {}

  @Requires('manage-organization')
  @Get(':org/manage-organization')
  manageOrganization(): void {}

  @Get('undeclared')
  undeclared(): void {}

  @Get(':org/undeclared')
  undeclaredIn(): void {}

  @Open()
  @Get('open')
  open(): object {
    return { open: true };
  }
}

@Controller('mostly-open')
@Open()
class MostlyOpenController {
  @RequiresAccount()
  @Get('closed')
  closed(): void {}
}

@Module({})
class WorldModule {
  static of(
    provided: readonly (readonly [symbol | (abstract new (...args: never[]) => object), object])[],
  ): DynamicModule {
    const providers = provided.map(([provide, useValue]) => ({ provide, useValue }));
    return {
      module: WorldModule,
      global: true,
      providers,
      exports: providers.map((p) => p.provide),
    };
  }
}

describe('the guard', () => {
  const site = openSite();
  let node: Node;
  let app: NestFastifyApplication;

  /** Registers a person with a readable id, which the commands would not allow. */
  async function register(id: string, root = false): Promise<void> {
    const { people, pipeline } = node;
    const email = `${id}@example.com`;
    const user = {
      id,
      emailHash: people.emailHash(email),
      root,
      profile: await people.sealProfile(id, { email, firstName: id, lastName: 'X' }),
      credential: await people.sealCredential(id, await hash),
    };
    const command = { type: 'register', user } as const;
    const [stream, context] = [`user-${id}`, at()];
    await pipeline.handle({ decider: userAggregate, stream, command, context });
  }

  async function create(
    name: string,
    members: readonly (readonly [string, Role])[],
  ): Promise<void> {
    const { id } = await node.memberships.create(name, undefined, at());
    for (const [userId, role] of members) await node.memberships.put(id, userId, role, at());
  }

  const at = () => by('system', { occurredAt: '2026-01-01T00:00:00.000Z' });
  const hash = hashPassword(PASSWORD);

  beforeAll(async () => {
    node = await startNode(site);
    for (const id of [...ROLES, 'stranger']) await register(id);
    await register('root', true);
    await create(
      'acme',
      ROLES.map((role) => [role, role] as const),
    );
    await create('beta', [['stranger', 'admin']]);
    const filter = new ErrorFilter(createLogger('silent'), () => Promise.resolve());
    const testing = await Test.createTestingModule({
      imports: [
        WorldModule.of([
          [CommandPipeline, node.pipeline],
          [ServerKey, site.serverKey],
          [PersonalData, node.people],
          [UsersProjection, node.users],
          [OrganizationsProjection, node.organizations],
          [InvitationsProjection, node.invitations],
          [EndedSessionsProjection, new EndedSessionsProjection()],
          [EventStore, site.store],
          [
            KnownAddresses,
            new KnownAddresses(
              site.serverKey,
              join(site.directory, 'known-addresses'),
              (id) => node.users.byId(id) !== undefined,
            ),
          ],
          [SIGN_UP, readConfig({}).signUp],
          [ACCOUNT_BOUNDS, readConfig({}).accounts],
          [DatabaseNames, { newDatabase: newDatabaseName }],
        ]),
        IdentityModule,
      ],
      controllers: [ProbeController, MostlyOpenController],
      providers: [{ provide: APP_FILTER, useValue: filter }],
    }).compile();
    app = testing.createNestApplication<NestFastifyApplication>(
      new FastifyAdapter({ routerOptions: { constraints: lastSegmentConstraint } }),
      { logger: false },
    );
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  });
  afterAll(async () => {
    await app.close();
    await node.stop();
    await site.dispose();
  });

  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
  const as = (id: string) => basic(`${id}@example.com:${PASSWORD}`);

  async function get(path: string, authorization?: string) {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await app.inject({ method: 'GET', url: path, headers });
    return { status: answer.statusCode, headers: answer.headers, text: answer.body };
  }
  const message = (text: string) => (JSON.parse(text) as ErrorBody).message;

  /** The table of rights in acme is written by hand, so that it is not derived from the code. */
  const yes = 200;
  const no = 403;
  it.each([
    ['root', { query: yes, upload: yes, 'configure-streams': yes, 'manage-organization': yes }],
    ['admin', { query: yes, upload: yes, 'configure-streams': yes, 'manage-organization': yes }],
    ['editor', { query: yes, upload: yes, 'configure-streams': yes, 'manage-organization': no }],
    ['member', { query: yes, upload: yes, 'configure-streams': yes, 'manage-organization': no }],
    ['viewer', { query: yes, upload: no, 'configure-streams': no, 'manage-organization': no }],
    ['stranger', { query: no, upload: no, 'configure-streams': no, 'manage-organization': no }],
  ])('%s in an organization', async (id, expected) => {
    const answers: Record<string, number> = {};
    for (const permission of Object.keys(expected))
      answers[permission] = (await get(`/probe/acme/${permission}`, as(id))).status;
    expect(answers).toEqual(expected);
  });

  it('lets nobody but root into an organization they do not belong to', async () => {
    for (const id of ROLES) expect((await get('/probe/beta/query', as(id))).status).toBe(403);
    expect((await get('/probe/beta/query', as('root'))).status).toBe(200);
  });

  it('answers for an organization that does not exist as for one that is not theirs', async () => {
    const [foreign, nowhere] = [
      await get('/probe/beta/query', as('admin')),
      await get('/probe/nowhere/query', as('admin')),
    ];
    expect(nowhere.status).toBe(403);
    expect(nowhere.text.replaceAll('nowhere', 'beta')).toBe(foreign.text);
    expect((await get('/probe/nowhere/query', as('root'))).status).toBe(404);
  });

  it('says the rule of a name, to those who have authenticated', async () => {
    const broken = await get('/probe/Acme%20Inc/query', as('viewer'));
    expect([broken.status, message(broken.text)]).toEqual([
      400,
      expect.stringContaining('a-z, 0-9'),
    ]);
    expect((await get('/probe/Acme%20Inc/query')).status).toBe(401);
  });

  it('tells the route who calls and where', async () => {
    const { text } = await get('/probe/acme/query', as('viewer'));
    const { id, database } = organizationOfName(node, 'acme');
    expect(JSON.parse(text)).toEqual({
      caller: { userId: 'viewer', email: 'viewer@example.com', root: false, byPasscode: false },
      organization: { id, name: 'acme', database, share: id, administered: false },
    });
  });

  it.each([
    ['none', undefined],
    ['an empty header', ''],
    ['only the scheme', 'Basic'],
    ['an empty pair', 'Basic '],
    ['another scheme', `Digest ${Buffer.from(`root@example.com:${PASSWORD}`).toString('base64')}`],
    ['no colon', basic('root@example.com')],
    ['no password', basic('root@example.com:')],
    ['no e-mail', basic(`:${PASSWORD}`)],
    ['a wrong password', basic('root@example.com:Secret:77:y')],
    ['a password cut at its colon', basic('root@example.com:Secret')],
    ['nobody', basic(`nobody@example.com:${PASSWORD}`)],
    ['no base64', 'Basic ***'],
    ['bytes that are no text', `Basic ${Buffer.from([0xff, 0x3a, 0xfe, 0x00]).toString('base64')}`],
  ])('refuses credentials: %s', async (_what, authorization) => {
    const { status, headers, text } = await get('/probe/acme/query', authorization);
    expect([status, headers['www-authenticate']]).toEqual([401, 'Basic realm="millrace"']);
    expect(JSON.parse(text)).toEqual({
      code: 401,
      message: 'credentials are missing or wrong; send HTTP Basic with e-mail and password',
    });
  });

  it('lets the passcode of an organization upload and query there, for its members and root', async () => {
    const { organizations, passcodes } = node;
    const acme = organizations.find('acme');
    const passcode = (acme && passcodes.open(acme)) ?? '';
    const byPasscode = (id: string) => basic(`${id}@example.com:${passcode}`);
    const statuses = async (path: string, ids: readonly string[]) =>
      Promise.all(ids.map(async (id) => (await get(path, byPasscode(id))).status));
    expect(await statuses('/probe/acme/query', ['editor', 'viewer', 'root'])).toEqual([
      200, 200, 200,
    ]);
    // A role still decides about the other permissions.
    expect(await statuses('/probe/acme/upload', ['editor', 'viewer', 'root'])).toEqual([
      200, 403, 200,
    ]);
    for (const path of ['/probe/acme/configure-streams', '/probe/acme/manage-organization'])
      expect(await statuses(path, ['admin', 'root'])).toEqual([403, 403]);
    expect(await statuses('/probe/acme/query', ['stranger', 'nobody'])).toEqual([401, 401]);
    expect(await statuses('/probe/beta/query', ['stranger', 'root'])).toEqual([401, 401]);
    expect(await statuses('/api/organizations', ['root'])).toEqual([401]);
    const { text } = await get('/probe/acme/query', byPasscode('admin'));
    expect(JSON.parse(text)).toMatchObject({
      caller: { byPasscode: true },
      organization: { administered: false },
    });
  });

  it('keeps a failed login, sealed for the account it was tried on', async () => {
    await get('/probe/acme/query', basic('member@example.com:wrong'));
    // The answer does not wait for it, because its time would reveal whose e-mail it is.
    const kept = async () =>
      (await eventsOf(site.store)).filter(
        ({ type, data }) =>
          type === 'LoginFailed' && (data as { userId?: string }).userId === 'member',
      );
    await until(async () => (await kept()).length > 0);
    const last = (await kept()).at(-1);
    const { id } = organizationOfName(node, 'acme');
    expect(last).toMatchObject({
      data: { userId: 'member', failed: 1 },
      metadata: { actor: 'anonymous', organizationId: id },
    });
    expect(node.people.client('member', last?.metadata.client ?? '')).toMatchObject({
      address: '127.0.0.1',
    });
    expect(JSON.stringify([last?.data, last?.metadata])).not.toContain('example.com');
  });

  it('refuses a route that says nothing about itself, even to root', async () => {
    for (const path of ['/probe/undeclared', '/probe/acme/undeclared']) {
      expect((await get(path)).status).toBe(401);
      expect((await get(path, as('root'))).status).toBe(403);
    }
  });

  it('asks nobody at an open route, and lets the nearer word decide', async () => {
    expect((await get('/probe/open')).status).toBe(200);
    expect((await get('/probe/open', basic('nobody:wrong'))).status).toBe(200);
    expect((await get('/mostly-open/closed')).status).toBe(401);
    expect((await get('/mostly-open/closed', as('viewer'))).status).toBe(200);
  });

  it('lists the organizations of the caller, and all to root', async () => {
    const record = {
      type: 'custom',
      created_at: Date.UTC(2026, 0, 1) * 1000,
    };
    for (const path of ['/api/organizations', '/api/acme/organizations']) {
      expect(JSON.parse((await get(path, as('viewer'))).text)).toEqual({
        data: [
          {
            ...record,
            id: 1,
            identifier: 'acme',
            name: 'acme',
            user_email: 'viewer@example.com',
            role: 'viewer',
          },
        ],
      });
      const { data } = JSON.parse((await get(path, as('root'))).text) as { data: object[] };
      expect(data).toMatchObject([
        { id: 1, name: 'acme', role: 'root' },
        { id: 2, name: 'beta', role: 'root' },
      ]);
    }
    expect((await get('/api/beta/organizations', as('viewer'))).status).toBe(403);
  });
});
