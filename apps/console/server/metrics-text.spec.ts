import { readMetrics } from './metrics-text.js';

it('reads names, labels and values, and nothing else', () => {
  const text = `# HELP queue_lag Batches
# TYPE queue_lag gauge
queue_lag{partition="0"} 3
queue_lag{partition="a \\"b\\\\ }",topic="x\\ny"} 1.5e3

free 0.25
ends +Inf
odd NaN
`;
  expect(
    readMetrics(text).map(({ name, labels, value }) => [name, Object.fromEntries(labels), value]),
  ).toEqual([
    ['queue_lag', { partition: '0' }, 3],
    ['queue_lag', { partition: 'a "b\\ }', topic: 'x\ny' }, 1500],
    ['free', {}, 0.25],
    ['ends', {}, Infinity],
    ['odd', {}, NaN],
  ]);
});
