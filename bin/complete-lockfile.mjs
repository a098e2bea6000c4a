// `npm run lockfile`: to be run after every `npm install` that changes packages.
// npm leaves an optional package out of the lockfile when the registry at hand does not serve it
// (builds for other platforms, behind a partial mirror); `npm ci` then refuses that lockfile, here
// and everywhere. This puts the entries back: the version is the one its parent pins, platform and
// C library are read from the name, and there is no integrity hash, for nothing was downloaded.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
const sorted = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
lock.packages = Object.fromEntries(sorted);
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added.length} entries added${added.map((a) => `\n  ${a}`).join('')}`);
