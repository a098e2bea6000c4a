import { ZONES_MAX, ZONES_PER_ORGANIZATION_MAX } from './limits.js';
import { TimeZones } from './time-zones.js';

const KNOWN = new Set(Array.from({ length: 500 }, (_, n) => `Zone/${n}`));

describe('time zones that statements name', () => {
  it('are such as there are', () => {
    const zones = new TimeZones();
    zones.check(['Zone/1', ''], KNOWN, 'A');
    for (const zone of ['file:/dev/stdin', 'libc:x', 'Zone//1', 'zone/1'])
      expect(() => zones.check([zone], KNOWN, 'A')).toThrow(/there is no time zone/);
  });

  it('are not too many of one organization, nor of all, and those in use are for everybody', () => {
    const zones = new TimeZones();
    let next = 0;
    const add = (organization: string): void =>
      zones.check([`Zone/${next++}`], KNOWN, organization);
    for (let n = 0; n < ZONES_PER_ORGANIZATION_MAX; n += 1) add('A');
    expect(() => add('A')).toThrow(/too many time zones/);
    zones.check(['Zone/0'], KNOWN, 'A');
    for (let n = ZONES_PER_ORGANIZATION_MAX; n < ZONES_MAX; n += 1) add(`o${n}`);
    expect(() => add('B')).toThrow(/too many time zones/);
    zones.check(['Zone/0', 'Zone/1'], KNOWN, 'B');
  });
});
