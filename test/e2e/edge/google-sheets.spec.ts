import { startGoogleSheets, type GoogleSheetsDouble } from '../../doubles/google-sheets.js';
import { runEdge, startEdge, type Edge } from '../../server/start-edge.js';
import { until } from '../../server/until.js';

/** There is no Google here: what is shown is that the program asks as Google wants, on the wire. */
describe('sheets of Google, by a double of its server', () => {
  let google: GoogleSheetsDouble;
  let edge: Edge;

  beforeAll(async () => {
    google = await startGoogleSheets();
    google.sheets.set('1x/0', 'name,n\r\n"Ann, of\nX",1\r\nBob,\r\n');
    google.sheets.set('1x/7', 'a;b\r\n');
    const at = (page: string): string => `${google.origin}/spreadsheets/d/1x/${page}`;
    edge = await startEdge([
      ...['-t', `first=${at('edit?usp=sharing')},reload_interval=1`],
      ...['-t', `seventh=${at('edit#gid=7')},format=google_spreadsheet,delimiter=;`],
    ]);
  });
  afterAll(async () => {
    await edge.stop();
    await google.stop();
  });

  it('are tables', async () => {
    expect((await edge.sql('SELECT * FROM first ORDER BY name')).json()).toEqual([
      { name: 'Ann, of\nX', n: 1 },
      { name: 'Bob', n: null },
    ]);
    expect((await edge.sql('SELECT count(a) AS a, count(b) AS b FROM seventh')).json()).toEqual([
      { a: 0, b: 0 },
    ]);
  });

  it('are read again after reload_interval', async () => {
    google.sheets.set('1x/0', 'name,n,more\r\nCy,2,x\r\n');
    await until(async () => {
      const rows = (await edge.sql('SELECT * FROM first')).json();
      return JSON.stringify(rows) === '[{"name":"Cy","n":2,"more":"x"}]';
    });
  });

  it.each([
    ['secret/edit', 'not open to anybody who has its link'],
    ['1x/edit#gid=8', 'no sheet of this gid'],
  ])('that cannot be had stop the start: %s', async (page, reason) => {
    const { code, stderr } = await runEdge(['-t', `t=${google.origin}/spreadsheets/d/${page}`]);
    expect(code).toBe(1);
    expect(stderr).toContain(reason);
  });
});
