// `node bin/make-secrets.mjs [folder]`: makes what docker-compose.yml takes from ./secrets, once.
// What is there already stays.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2] ?? 'secrets';
mkdirSync(folder, { recursive: true, mode: 0o700 });

/** The containers' users can read the files, but only the owner can enter the folder. */
function secret(name, make) {
  const file = join(folder, name);
  if (!existsSync(file)) writeFileSync(file, make(), { mode: 0o444 });
  return readFileSync(file, 'utf8');
}
const word = () => randomBytes(24).toString('base64url');

secret('secret_key', () => randomBytes(32).toString('base64'));
// Passwords must have a lower-case letter, an upper-case letter, a digit and a special character.
secret('root_password', () => `${word()}-aA1`);
const password = secret('clickhouse_password', word);
secret('clickhouse_url', () => `http://millrace:${password}@clickhouse:8123`);
secret('lake_secret_key', word);
console.log(`secrets are in ${folder}: keep a copy of secret_key apart from the data`);
