import 'reflect-metadata';
import { verifyAudit } from '@app/audit';
import { rebuild, type MetEvent } from '@app/event-store';
import { createLogger } from '@app/platform';
import type { Config } from '@app/config';
import { auditKey } from '../components/audit-key.js';
import { besideRunning, hasSharedStores } from '../terminal/beside-running.js';
import { openStores, type Stores } from '../components/open-components.js';
import { progressBar } from '../terminal/progress-bar.js';
import { configOfServer } from '../terminal/config-of-server.js';

/** The result for one organization. */
interface Finding {
  readonly name: string;
  readonly entries: number;
  readonly ofLostTime: number;
  readonly head: string;
  readonly problems: readonly string[];
}

interface Report {
  readonly findings: readonly Finding[];
  readonly notOurs: readonly MetEvent[];
  readonly notUnderstood: readonly MetEvent[];
}

/** @param isRunning whether other processes append meanwhile */
async function compare(
  { events, users, organizations, snapshots, warehouse, directory, serverKey }: Stores,
  heads: ReadonlyMap<string, string>,
  isRunning: boolean,
): Promise<readonly Finding[]> {
  const last = (await events.lastPosition()) ?? 0n;
  const onProgress = (): void => undefined;
  await rebuild(events, [users, organizations], snapshots, { from: () => last, onProgress });
  const bar = progressBar('audit-trail', last);
  const verdicts = await verifyAudit(events, warehouse, directory, {
    key: auditKey(serverKey),
    noted: new Set(heads.values()),
    upTo: isRunning ? last : undefined,
    onProgress: (position) => bar.update(position),
  });
  bar.end('compared');
  return organizations.list().flatMap(({ name, database }) => {
    const verdict = verdicts.find((each) => each.database === database);
    if (!verdict) return [];
    const { entries, ofLostTime, head, problems, found } = verdict;
    const noted = heads.get(name);
    const isCut = noted !== undefined && !found.has(noted);
    const cut = isCut ? [`the noted hash ${noted} is not in it`] : [];
    return [{ name, entries, ofLostTime, head, problems: [...problems, ...cut] }];
  });
}

async function look(
  config: Config,
  heads: ReadonlyMap<string, string>,
  isRunning: boolean,
): Promise<Report> {
  const stores = await openStores(config, createLogger(config.logLevel));
  try {
    const { events, authentic, notOurs, notUnderstood } = stores;
    await authentic.checkChains(isRunning ? await events.lastPosition() : undefined);
    const findings = await compare(stores, heads, isRunning);
    return { findings, notOurs: notOurs.all(), notUnderstood: notUnderstood.all() };
  } finally {
    await stores.close();
  }
}

const isIntact = ({ findings }: Report): boolean =>
  findings.every(({ problems }) => problems.length === 0);

/**
 * An erasure at the same moment removes names from entries. That looks as if somebody had changed
 * them.
 */
const LOOKS = 3;

async function verify(config: Config, heads: ReadonlyMap<string, string>): Promise<Report> {
  const isShared = hasSharedStores(config);
  const once = (): Promise<Report> =>
    isShared ? besideRunning(config, (own) => look(own, heads, true)) : look(config, heads, false);
  let report = await once();
  for (let done = 1; isShared && !isIntact(report) && done < LOOKS; done += 1)
    report = await once();
  return report;
}

/**
 * Compares every audit trail with the events and tells what it found; the code is 1 where they differ.
 * @param heads hashes that were noted, by organization
 * @throws {Error} when the stores cannot be opened
 */
export async function verifyTrails(heads: ReadonlyMap<string, string>): Promise<void> {
  const report = await verify(configOfServer(), heads);
  for (const { name, entries, ofLostTime, head, problems } of report.findings) {
    const verdict = problems.length === 0 ? 'intact' : 'NOT INTACT';
    const lost = ofLostTime > 0 ? ` (${ofLostTime} of a lost time)` : '';
    console.log(`${name}: ${entries} entries${lost}, ${verdict}, head ${head}`);
    for (const problem of problems) console.log(`  ${problem}`);
  }
  for (const { stream, revision, type, reason } of report.notOurs)
    console.log(`not ours: event ${revision} of ${stream}, ${type}: ${reason}`);
  for (const { stream, revision, type, reason } of report.notUnderstood)
    console.log(`not understood: event ${revision} of ${stream}, ${type}: ${reason}`);
  const odd = report.notOurs.length + report.notUnderstood.length;
  if (!isIntact(report) || odd > 0) process.exitCode = 1;
}
