// `npm run demo [-- --url <url>] [-- --user <email>:<password>]`: uploads the fixtures to a running
// server and asks each query frontend about them, showing what was sent and what came back.
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './prepare.mjs';

/** Where the server listens that has the same variables. */
const { MILLRACE_HTTP_ADDR: listens = '127.0.0.1:5080' } = process.env;
const HERE = `http://${listens.replace(/^(?:0\.0\.0\.0|\[::\])(?=:)/, '127.0.0.1')}`;

const HELP = `usage: npm run demo -- [--url ${HERE}] [--user <email>:<password>] [--org default]

Without --user the credentials are MILLRACE_ROOT_EMAIL and MILLRACE_ROOT_PASSWORD, else those that
the server keeps in <data directory>/root-credentials.`;

const { values: flags } = parseArgs({
  options: {
    url: { type: 'string', default: HERE },
    user: { type: 'string' },
    org: { type: 'string', default: 'default' },
    help: { type: 'boolean', default: false },
  },
});

/** [file below test/fixtures/roapi, stream] */
const UPLOADS = [
  ['spacex_launches.ndjson', 'launches'],
  ['spacex_launches.json', 'launches_array'],
  ['ubuntu-ami.json', 'ubuntu_ami'],
  ['uk_cities_with_headers.csv', 'uk_cities'],
];

const QUERIES = [
  [
    'SQL',
    'POST',
    'sql',
    'SELECT name, date_utc, success FROM launches WHERE success = 0 ORDER BY date_utc LIMIT 3',
  ],
  [
    'SQL, nested fields and aggregates',
    'POST',
    'sql',
    'SELECT rocket, count() AS launches, countIf(success) AS successes, max(links.flickr.original[1]::String) AS picture FROM launches GROUP BY rocket ORDER BY launches DESC LIMIT 2',
  ],
  [
    'SQL over a CSV',
    'POST',
    'sql',
    'SELECT city, lat, lng FROM uk_cities ORDER BY lat DESC LIMIT 2',
  ],
  ['Table read', 'GET', 'tables/launches?columns=flight_number,name&sort=-flight_number&limit=2'],
  ['Streams', 'GET', 'streams?keyword=launches'],
  ['Schema', 'GET', 'launches/schema'],
  [
    'Rejected records',
    'POST',
    'sql',
    'SELECT stream, line, reason, record FROM _rejected ORDER BY _timestamp DESC LIMIT 1',
  ],
];

function stop(message) {
  console.error(message);
  process.exit(1);
}

function credentials() {
  if (flags.user) return flags.user;
  const { MILLRACE_ROOT_EMAIL: email = 'root@example.com', MILLRACE_ROOT_PASSWORD: password } =
    process.env;
  if (password) return `${email}:${password}`;
  const file = join(process.env.MILLRACE_DATA_DIR ?? join(root, 'data'), 'root-credentials');
  try {
    const kept = readFileSync(file, 'utf8');
    return `${/^email=(.*)$/m.exec(kept)[1]}:${/^password=(.*)$/m.exec(kept)[1]}`;
  } catch {
    return stop(`no credentials: give --user <email>:<password> (there is no ${file})\n\n${HELP}`);
  }
}

const headers = () => ({ authorization: `Basic ${Buffer.from(credentials()).toString('base64')}` });

async function call(method, path, body) {
  const url = `${flags.url}/api/${flags.org}/${path}`;
  const answer = await fetch(url, { method, headers: headers(), body }).catch((error) =>
    stop(
      `no server answers at ${flags.url} (${error.cause?.code ?? error.message}); start one with: npm start`,
    ),
  );
  const text = await answer.text();
  if (!answer.ok) stop(`${method} ${url}: ${answer.status} ${text}`);
  return text;
}

const WIDTH = 30;
const bar = (done, all) => '█'.repeat(Math.round((WIDTH * done) / all)).padEnd(WIDTH, '░');

async function upload(index, file, stream) {
  const path = join(root, 'test/fixtures/roapi', file);
  const format = file.endsWith('.csv') ? '_csv' : '_json';
  const text = await call('POST', `${stream}/${format}?wait=true`, readFileSync(path));
  const size = `${Math.round(statSync(path).size / 1024)} KiB`;
  console.log(`${bar(index + 1, UPLOADS.length)} ${basename(file)} (${size}) → ${stream}: ${text}`);
}

if (flags.help) {
  console.log(HELP);
  process.exit(0);
}
console.log(`# Upload to ${flags.url}, organization ${flags.org}\n`);
for (const [index, [file, stream]] of UPLOADS.entries()) await upload(index, file, stream);
const misfit = '{"flight_number":"the first"}';
console.log(
  `\n# A record that does not fit: ${misfit}\n${await call('POST', 'launches/_json?wait=true', misfit)}`,
);
for (const [name, method, path, body] of QUERIES) {
  console.log(`\n# ${name}\n${method} /api/${flags.org}/${path}${body ? `\n${body}` : ''}\n→`);
  const text = await call(method, path, body);
  console.log(text.length > 1500 ? `${text.slice(0, 1500)} …` : text.trimEnd());
}
