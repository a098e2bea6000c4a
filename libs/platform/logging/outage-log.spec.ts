import { OutageLog } from './outage-log.js';

describe('OutageLog', () => {
  it('logs the first failure of each outage', () => {
    const outage = new OutageLog();
    const logged: number[] = [];
    const fail = (call: number) => outage.failed(() => logged.push(call));
    fail(1);
    fail(2);
    outage.succeeded();
    outage.succeeded();
    fail(3);
    fail(4);
    expect(logged).toEqual([1, 3]);
  });
});
