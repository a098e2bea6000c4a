import { SingleFlight } from './single-flight.js';

describe('SingleFlight', () => {
  let started: string[];
  let flights: SingleFlight<string>;
  let end: (result: string) => void;

  beforeEach(() => {
    started = [];
    flights = new SingleFlight();
  });

  const work = (key: string) => (): Promise<string> => {
    started.push(key);
    return new Promise((resolve) => (end = resolve));
  };

  it('runs work once for all who ask while it runs, and anew afterwards', async () => {
    const first = flights.run('a', work('a'));
    const second = flights.run('a', work('a'));
    end('done');
    expect([await first, await second]).toEqual(['done', 'done']);
    expect(started).toEqual(['a']);
    const third = flights.run('a', work('a'));
    end('again');
    expect(await third).toBe('again');
    expect(started).toEqual(['a', 'a']);
  });

  it('keeps keys apart', async () => {
    const one = flights.run('a', () => Promise.resolve('one'));
    const other = flights.run('b', () => Promise.resolve('other'));
    expect([await one, await other]).toEqual(['one', 'other']);
  });

  it('gives a failure to all who wait, and runs the work anew for the next', async () => {
    const fail = (): Promise<string> => Promise.reject(new Error('failed'));
    const waiting = [flights.run('a', fail), flights.run('a', fail)];
    for (const each of waiting) await expect(each).rejects.toThrow('failed');
    expect(await flights.run('a', () => Promise.resolve('later'))).toBe('later');
  });
});
