// Fetches the Kafka of the tests once, with Maven: `node test/server/kafka/fetch.mjs`.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = import.meta.dirname;
const pom = join(here, 'pom.xml');
const version = /<artifactId>kafka_.*?<version>(.+?)</s.exec(readFileSync(pom, 'utf8'))?.[1];
export const jars = join(here, '../../../.cache', `kafka-${version}`);

/** Fetches what is missing. */
export function fetchKafka() {
  if (existsSync(jars)) return;
  const fresh = `${jars}.${process.pid}`;
  const { status, stdout, stderr, error } = spawnSync(
    'mvn',
    ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${fresh}`],
    { encoding: 'utf8' },
  );
  if (status !== 0)
    throw new Error(`Kafka cannot be fetched by mvn: ${error?.message ?? `${stdout}${stderr}`}`);
  try {
    renameSync(fresh, jars);
  } catch {
    // Another process was faster.
    rmSync(fresh, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) fetchKafka();
