// A process that loads the engine, uses it, and then fills its heap; its argument is a folder for it.
import { Engine } from '../../../libs/warehouse/chdb/engine.js';

const [directory = ''] = process.argv.slice(2);
const sessions = new Engine(directory).sessions([], 1);
await sessions.use(({ session }) => session.queryAsync('SELECT 1'));
console.log('ready');
const kept: unknown[] = [];
for (;;) kept.push(Array.from({ length: 1000 }, () => ({})));
