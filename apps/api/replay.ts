// `millrace replay`: makes a read model again out of the events.
import { parseArgs } from 'node:util';

const READ_MODELS = [
  ...['users', 'organizations', 'invitations', 'ended-sessions', 'streams', 'warehouse-tables'],
  ...['ended-trails', 'dropped-tables', 'forgotten-batches', 'audit-trail'],
];

const USAGE = `usage: millrace replay --projection <name> [--from <position>]

Makes a read model again out of the events. The server must be stopped: it has the data directory.

  --projection  one of: users, organizations, invitations, ended-sessions, streams,
                warehouse-tables, ended-trails, dropped-tables, forgotten-batches, audit-trail,
                or all
  --from        what events up to this position made is kept, where there is a snapshot of it;
                0 (the default) keeps nothing. For audit-trail: entries after it are written again.
  --help        this text

MILLRACE_DATA_DIR and the other variables are those of the server.`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      projection: { type: 'string' },
      from: { type: 'string', default: '0' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void console.log(USAGE);
  if (values.projection === undefined) throw new Error(`say which projection\n\n${USAGE}`);
  if (!/^\d+$/.test(values.from)) throw new Error('--from: want a position, a whole number');
  // A running server has the stores, so this is said before they are opened.
  if (![...READ_MODELS, 'all'].includes(values.projection))
    throw new Error(
      `there is no projection ${values.projection}; there are ${READ_MODELS.join(', ')}, all`,
    );
  const { replay } = await import('./programs/replay.js');
  await replay(values.projection, BigInt(values.from));
}

try {
  await main();
} catch (error) {
  console.error(`replay: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
