import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import { startServer, type Server } from '../server/start-server.js';

describe('two installations on one EventStoreDB (double)', () => {
  let double: EventStoreDbDouble;
  let folder: string;
  const started: Server[] = [];

  beforeAll(async () => {
    double = await EventStoreDbDouble.start();
    folder = mkdtempSync(join(tmpdir(), 'millrace-namespaces-'));
  });
  afterEach(async () => {
    for (const server of started.splice(0)) await server.stop();
  });
  afterAll(async () => {
    await double.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (data: string, namespace?: string): Promise<Server> => {
    const server = await startServer({
      dataDirectory: join(folder, data),
      variables: {
        EVENTSTORE_URL: double.url,
        ...(namespace === undefined ? {} : { EVENTSTORE_NAMESPACE: namespace }),
      },
    });
    started.push(server);
    return server;
  };
  const streams = async (server: Server): Promise<readonly string[]> => {
    const answer = await server.client.call('/api/default/streams');
    return answer.json<{ list: { name: string }[] }>().list.map(({ name }) => name);
  };

  it('are strangers to one another, also after a restart', async () => {
    const one = await start('production');
    const other = await start('staging', 'millrace-staging');
    await one.client.upload('orders', [{ a: 1 }]);
    await other.client.upload('drafts', [{ b: 1 }]);
    const both = async (first: Server, second: Server) => [
      await streams(first),
      await streams(second),
    ];
    expect(await both(one, other)).toEqual([['orders'], ['drafts']]);
    for (const server of started.splice(0)) expect(await server.stop()).toBe(0);
    const again = [await start('production'), await start('staging', 'millrace-staging')] as const;
    expect(await both(...again)).toEqual([['orders'], ['drafts']]);
  });

  it('are refused under one namespace', async () => {
    await expect(start('third', 'millrace-staging')).rejects.toThrow('MILLRACE_SECRET_KEY');
  });

  it('keep their namespace', async () => {
    await expect(start('production', 'renamed')).rejects.toThrow(
      'EVENTSTORE_NAMESPACE renamed) is empty',
    );
  });

  it.each(['a.b', '', '$all', '1st', 'a b', 'a'.repeat(101)])(
    'have no namespace %j',
    async (namespace) => {
      await expect(start('fourth', namespace)).rejects.toThrow('EVENTSTORE_NAMESPACE');
    },
  );
});
