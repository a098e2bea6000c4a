// `millrace reconcile` brings events and tables together that are not of the same age.
import { parseArgs } from 'node:util';

const USAGE = `usage: millrace reconcile [--adopt | --drop] [--organization <name>]

For an installation of which one store was restored from a backup of another day: tells what the events
do not know that tables and audit trails have, and what they tell of that is not there. Without
--adopt or --drop it changes nothing; the code is 1 when something differs.

  --adopt         tables of streams and organizations that the events do not know become streams
                  and organizations again; streams without a table get an empty one
  --drop          they are dropped; streams and organizations without tables are deleted, and
                  accounts whose keys are gone erased
  --organization  only this one, by its name or its database; the server starts when all are done
  --help          this text

Either way entries of the audit trail that have no event any more stay in it, as of a lost time, and
what was done is told there. The server must be stopped; in a cluster all processes must be.
MILLRACE_DATA_DIR and the other variables are those of the server.`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      adopt: { type: 'boolean', default: false },
      drop: { type: 'boolean', default: false },
      organization: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void console.log(USAGE);
  if (values.adopt && values.drop) throw new Error(`say --adopt or --drop\n\n${USAGE}`);
  const mode = values.adopt ? 'adopt' : values.drop ? 'drop' : undefined;
  if (values.organization !== undefined && mode === undefined)
    throw new Error(`--organization: say --adopt or --drop, too\n\n${USAGE}`);
  const { reconcileStores } = await import('./programs/reconcile.js');
  await reconcileStores(mode, values.organization);
}

try {
  await main();
} catch (error) {
  console.error(`reconcile: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
