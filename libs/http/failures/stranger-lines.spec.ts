import { pino } from 'pino';
import { StrangerLines } from './stranger-lines.js';

describe('lines about strangers', () => {
  it('are bounded for each minute, and what was left out is counted', () => {
    let time = 0;
    const log: string[] = [];
    const logger = pino({}, { write: (line) => log.push(line) });
    const lines = new StrangerLines(() => time);
    const admitted = Array.from({ length: 1000 }, () => lines.admit(logger)).filter(Boolean);
    expect([admitted.length, log]).toEqual([300, []]);
    time = 60_001;
    expect(lines.admit(logger)).toBe(true);
    expect(log.map((line) => (JSON.parse(line) as { requests: number }).requests)).toEqual([700]);
  });
});
