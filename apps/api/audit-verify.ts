// `millrace audit:verify`: checks that nobody changed the audit trail.
import { parseArgs } from 'node:util';

const USAGE = `usage: millrace audit:verify [--head <organization>=<hash>]…

Makes every organization's chain of hashes again out of the events and compares it with the table
_audit, row by row, and lists the events that are not ours (or before which one of ours is missing),
and those that this version does not understand. Ends with code 1 when there is anything of that.

With CLICKHOUSE_URL and EVENTSTORE_URL it compares what there is when it begins, beside running
processes; else the server must be stopped, for it has the data directory.

  --head  a hash that was noted earlier must still be in that organization's trail: shows that
          nothing was cut off at its end
  --help  this text`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      head: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void console.log(USAGE);
  const heads = new Map(values.head.map((text) => pair(text)));
  const { verifyTrails } = await import('./programs/audit-verify.js');
  await verifyTrails(heads);
}

function pair(text: string): [string, string] {
  const [, organization, hash] = /^([^=]+)=([0-9a-f]{64})$/.exec(text) ?? [];
  if (organization === undefined || hash === undefined)
    throw new Error('--head: want <organization>=<hash of 64 hexadecimal digits>');
  return [organization, hash];
}

try {
  await main();
} catch (error) {
  console.error(`audit:verify: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
