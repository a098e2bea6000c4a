// `npm run lockfile`: to be run after every `npm install` that changes packages.
// npm leaves an optional package out of the lockfile when the registry at hand does not serve it
// (builds for other platforms, behind a partial mirror); `npm ci` then refuses that lockfile, here
// and everywhere. This puts the entries back: the version is the one its parent pins, platform and
// C library are read from the name. Then it asks the registry for every integrity hash that is not
// there, and names those that it does not serve: run it once more where the registry is whole.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const path = join(dirname(fileURLToPath(import.meta.url)), '..', 'package-lock.json');
const lock = JSON.parse(readFileSync(path, 'utf8'));
const packages = lock.packages;

function platform(name) {
  const words = name.slice(name.lastIndexOf('/') + 1).split('-');
  const os = ['darwin', 'win32', 'linux', 'android', 'freebsd', 'openharmony', 'wasm32'].find((o) =>
    words.includes(o),
  );
  const cpus = ['arm64', 'x64', 'ia32', 'arm', 'ppc64', 'riscv64', 's390x', 'loong64', 'wasm32'];
  const cpu = cpus.find((c) => words.includes(c));
  if (!os || !cpu) throw new Error(`cannot tell the platform of ${name}`);
  const libc = words.some((w) => w.startsWith('musl')) ? 'musl' : 'glibc';
  const named = words.some((w) => /^(musl|gnu)/.test(w));
  return { cpu: [cpu], ...(named && os === 'linux' ? { libc: [libc] } : {}), os: [os] };
}

const added = [];
for (const [parent, entry] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const places = [`${parent}/node_modules/${name}`, `node_modules/${name}`];
    if (places.some((place) => packages[place])) continue;
    if (!/^\d+\.\d+\.\d+[\w.-]*$/.test(version)) {
      throw new Error(`${parent} does not pin ${name} (${version})`);
    }
    const { cpu, libc, os } = platform(name);
    // the order npm writes
    packages[`node_modules/${name}`] = {
      version,
      cpu,
      ...(entry.dev ? { dev: true } : {}),
      ...(libc ? { libc } : {}),
      optional: true,
      os,
    };
    added.push(`${name}@${version}`);
  }
}
/** npm's own client asks, so the registry is the one it is set to. */
async function integrityOf(name, version) {
  const asked = ['view', `${name}@${version}`, 'dist.integrity', '--json'];
  try {
    const { stdout } = await promisify(execFile)('npm', asked);
    const hash = JSON.parse(stdout);
    return typeof hash === 'string' && /^sha512-/.test(hash) ? hash : undefined;
  } catch {
    return undefined;
  }
}

const unknown = [];
for (const [path, entry] of Object.entries(packages)) {
  if (path === '' || entry.link || entry.integrity) continue;
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const integrity = await integrityOf(name, entry.version);
  // Beside the version, where npm writes it.
  if (integrity) packages[path] = { version: entry.version, integrity, ...entry };
  else unknown.push(`${name}@${entry.version}`);
}
const sorted = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
lock.packages = Object.fromEntries(sorted);
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
const list = (names) => names.map((each) => `\n  ${each}`).join('');
console.log(`${added.length} entries added${list(added)}`);
console.log(`${unknown.length} hashes that this registry does not know${list(unknown)}`);
