// `millrace change-key`: another secret key in the place of the one that everything rests on.
import { parseArgs } from 'node:util';

const USAGE = `usage: millrace change-key [--new-key-file <file>]

Puts another secret key in the place of the one that the server has. Nothing is lost: what was sealed
with the old key is opened by the new one, and the keys of people are wrapped anew. The old key opens
nothing by itself any more. Browsers have to sign in again.

The server must be stopped; in a cluster all processes must be, and it is run once, with their
variables and the old MILLRACE_SECRET_KEY. Broken off, it is run once more with the same.

  --new-key-file  has the new key, as from: openssl rand -base64 32. Without it a key is made, where
                  the old one is in the file secret-key of the data directory; the new one takes its
                  place there.
  --help          this text

Keep the old key as long as backups from before: they need it.`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'new-key-file': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void console.log(USAGE);
  const { changeKey } = await import('./programs/change-key.js');
  await changeKey(values['new-key-file']);
}

try {
  await main();
} catch (error) {
  console.error(`change-key: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
