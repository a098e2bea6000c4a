import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { openEngine } from '../../libs/warehouse/engine/index.js';
import { endless } from '../contract/limits.js';

const cpu = (pid: number): number => {
  const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(f[11]) + Number(f[12])) * 10;
};
it('x', async () => {
  const t0 = performance.now();
  const { warehouse, engine } = await openEngine({
    directory: '/tmp/h14-data', limits: endless(60), memoryBytes: 2 ** 31, readers: 4,
    closeEngine: () => Promise.resolve(), tell: () => undefined,
  });
  const out: string[] = [`first start ${Math.round(performance.now() - t0)} cpu ${cpu((await engine.ready(0)).pid)}`];
  let databases = [...(await warehouse.databases())];
  if (databases.length < 2000) {
    databases = Array.from({ length: 2000 }, () => `o_${randomBytes(16).toString('hex')}`);
    for (const database of databases) {
      await warehouse.createDatabase(database);
      for (let table = 0; table < 2; table += 1)
        await warehouse.createTable({ database, table: `t${table}` }, [{ name: 'id', type: 'Nullable(Int64)' }, { name: 'name', type: 'Nullable(String)' }], `01${table}`);
    }
  }
  for (const late of [true, true, false, true]) {
    (engine as unknown as { areTablesLate: boolean }).areTablesLate = late;
    const { pid } = await engine.ready(0);
    const killedAt = performance.now();
    const ms = () => Math.round(performance.now() - killedAt);
    process.kill(pid, 'SIGKILL');
    await engine.gone((await engine.ready(0)).generation, 5000);
    const { pid: next } = await engine.ready(60_000);
    const up = `${ms()} cpu ${cpu(next)}`;
    await text(await warehouse.stream({ sql: `SELECT count() FROM t0`, database: databases[5]!, format: 'text' }));
    const first = `${ms()} cpu ${cpu(next)}`;
    for (;;) { try { await warehouse.tables(); break; } catch {} }
    out.push(`late ${late}: up ${up}; first ${first}; all ${ms()} cpu ${cpu(next)}`);
  }
  console.log(out.join('\n'));
  await warehouse.close();
}, 900_000);
