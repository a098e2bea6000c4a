// `millrace serve`: the server.
import { parseArgs } from 'node:util';

const USAGE = `usage: millrace serve

Runs the server: what it is answers at MILLRACE_HTTP_ADDR (127.0.0.1:5080) and keeps everything in
MILLRACE_DATA_DIR (./data), until SIGTERM or Ctrl-C. MILLRACE_ROLES says which roles of it run in
this process; without it, all of them. docs/operators.md has every variable.

  --help  this text`;

try {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
  if (values.help) console.log(USAGE);
  else {
    // These modules are megabytes, and the usage text needs none of them.
    const { serve } = await import('./server/serve.js');
    await serve();
  }
} catch (error) {
  console.error(`Millrace cannot start: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
