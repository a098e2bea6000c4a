import { factsOf } from './facts.js';
import { readMetrics } from './metrics-text.js';

const of = (text: string): Readonly<Record<string, readonly unknown[]>> =>
  Object.fromEntries(
    factsOf(readMetrics(text)).map(({ name, value, trouble }) => [name, [value, trouble]]),
  );

it('says nothing of what is not measured, and no trouble where there is none', () => {
  expect(of('')).toEqual({});
  const calm = of(
    'millrace_queue_batches 0\nmillrace_projection_failing 0\nmillrace_dead_letter_batches 0\nmillrace_warehouse_disk_free_ratio 0.5\nmillrace_queue_lag{partition="0"} 0\n',
  );
  expect(calm).toEqual({
    'Batches waiting to be written': ['0', undefined],
    'Read models': ['follow', undefined],
    'Dead letters': ['0', undefined],
    'Free on the fullest disk': ['50 %', undefined],
  });
});

it('says what is wrong', () => {
  const facts = of(
    'millrace_projection_failing 1\nmillrace_dead_letter_batches 2\nmillrace_warehouse_disk_free_ratio 0.05\nmillrace_event_store_away_since_seconds 1700000000\n',
  );
  expect(facts['Read models']).toEqual(['one fails', expect.stringContaining('503')]);
  expect(facts['Dead letters']).toEqual(['2', expect.stringContaining('dead-letter --replay')]);
  expect(facts['Free on the fullest disk']).toEqual(['5 %', expect.stringContaining('refused')]);
  expect(facts['The event store']?.[0]).toBe('away since 2023-11-14 22:13:20 UTC');
});

it('tells partitions apart where there are several', () => {
  const facts = of('millrace_queue_lag{partition="0"} 1\nmillrace_queue_lag{partition="7"} 1200\n');
  expect(facts).toEqual({
    'Batches waiting in partition 0': ['1', undefined],
    'Batches waiting in partition 7': [(1200).toLocaleString(), undefined],
  });
});
