// `npm run audit:verify`: checks that nobody changed the audit trail.
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { verifyAudit } from '@app/audit';
import { rebuild } from '@app/event-store';
import { createLogger, readConfig } from '@app/platform';
import { AUDIT_PURPOSE, openStores, type Stores } from './open-parts.js';
import { progressBar } from './progress-bar.js';

const USAGE = `usage: npm run audit:verify -- [--head <organization>=<hash>]…

Makes every organization's chain of hashes again out of the events and compares it with the table
_audit, row by row, and lists the events that this version does not understand. Ends with code 1
when anything differs, or is not understood. The server must be stopped: it has the data directory.

  --head  a hash that was noted earlier must still be in that organization's trail: shows that
          nothing was cut off at its end
  --help  this text`;

async function verify(stores: Stores, heads: ReadonlyMap<string, string>): Promise<boolean> {
  const last = (await stores.events.lastPosition()) ?? 0n;
  for (const projection of [stores.users, stores.organizations])
    await rebuild(stores.events, projection, stores.snapshots, {
      from: last,
      onProgress: () => undefined,
    });
  const bar = progressBar('audit-trail', last);
  const verdicts = await verifyAudit(stores.events, stores.warehouse, stores.directory, {
    key: stores.serverKey.derive(AUDIT_PURPOSE),
    noted: new Set(heads.values()),
    onProgress: (position) => bar.update(position),
  });
  bar.end('compared');
  let sound = true;
  for (const { name, database } of stores.organizations.list()) {
    const verdict = verdicts.find((each) => each.database === database);
    if (!verdict) continue;
    const noted = heads.get(name);
    const problems = [
      ...verdict.problems,
      ...(noted === undefined || verdict.found.has(noted)
        ? []
        : [`the noted hash ${noted} is not in it`]),
    ];
    sound &&= problems.length === 0;
    console.log(
      `${name}: ${verdict.entries} entries, ${problems.length === 0 ? 'intact' : 'NOT INTACT'}, head ${verdict.head}`,
    );
    for (const problem of problems) console.log(`  ${problem}`);
  }
  for (const { stream, revision, type, reason } of stores.notUnderstood.all())
    console.log(`not understood: event ${revision} of ${stream}, ${type}: ${reason}`);
  return sound && stores.notUnderstood.count === 0;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      head: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void console.log(USAGE);
  const heads = new Map(values.head.map((text) => pair(text)));
  const config = readConfig();
  const stores = await openStores(config, createLogger(config.logLevel));
  try {
    if (!(await verify(stores, heads))) process.exitCode = 1;
  } finally {
    await stores.close();
  }
}

function pair(text: string): [string, string] {
  const match = /^([^=]+)=([0-9a-f]{64})$/.exec(text);
  if (!match) throw new Error('--head: want <organization>=<hash of 64 hexadecimal digits>');
  return [match[1] ?? '', match[2] ?? ''];
}

try {
  await main();
} catch (error) {
  console.error(`audit:verify: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
