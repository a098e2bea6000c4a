import { startServer, type Server } from '../../server/start-server.js';
import { Load, recordsOf, STREAMS, type Sent } from './load.js';

/** Tells whether the suites beside this one would notice it. */
describe('the judge of the suites of faults', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it('sees what was lost, doubled, halved, changed, or sent by nobody, and nothing else', async () => {
    const load = new Load(() => server.client);
    const sent = (id: string, acknowledged: boolean): Sent => ({ id, records: 5, acknowledged });
    const all = {
      right: sent('right', true),
      silent: sent('silent', false),
      refused: sent('refused', false),
      lost: sent('lost', true),
      doubled: sent('doubled', true),
      doubledInSilence: sent('doubledInSilence', false),
      inTwoStreams: sent('inTwoStreams', true),
      halved: sent('halved', true),
      halvedInSilence: sent('halvedInSilence', false),
      oneTwice: sent('oneTwice', true),
      changed: sent('changed', true),
    };
    const [one, two, three] = STREAMS;
    const lines = (each: Sent): string[] => recordsOf(each).split('\n');
    const store = (stream: string, ...records: string[]) =>
      server.client.upload(stream, records.join('\n'));
    await store(one, ...lines(all.right), ...lines(all.silent), ...lines(all.oneTwice).slice(1));
    await store(one, lines(all.oneTwice)[1] ?? '');
    for (const stream of [two, two]) await store(stream, ...lines(all.doubled));
    for (const stream of [two, two]) await store(stream, ...lines(all.doubledInSilence));
    for (const stream of [one, three]) await store(stream, ...lines(all.inTwoStreams));
    await store(three, ...lines(all.halved).slice(0, 4), ...lines(all.halvedInSilence).slice(3));
    await store(three, ...lines(all.changed).map((line) => line.replace('ppp', 'pp')));
    await store(three, ...lines(sent('stranger', true)));
    const waiting = Object.values(all);
    for (const each of waiting) load.told(each);
    const { wrong, acknowledged, silent } = await load.outcome();
    expect(wrong.map((each) => (each as { u?: string; id?: string }).u ?? 'lost').sort()).toEqual([
      'changed',
      'doubled',
      'doubledInSilence',
      'halved',
      'halvedInSilence',
      'inTwoStreams',
      'lost',
      'oneTwice',
      'stranger',
    ]);
    expect([acknowledged, silent]).toEqual([7, 3]);
  });
});
