// `millrace serve` with MILLRACE_ROLES=projector: carries events out (tables, audit trail) for API processes.
import { parseArgs } from 'node:util';

const USAGE = `usage: millrace serve, with MILLRACE_ROLES=projector

Follows the events and carries them out: the warehouse's tables, and the audit trail. API processes
do the same where there is no projector; with one they leave it the work. Needs CLICKHOUSE_URL and
EVENTSTORE_URL, the same as theirs, their MILLRACE_SECRET_KEY, and a MILLRACE_DATA_DIR of its own.`;

try {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
  if (values.help) console.log(USAGE);
  else {
    const { project } = await import('./programs/project.js');
    await project();
  }
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  console.error(`the projector cannot start: ${reason}`);
  process.exit(1);
}
