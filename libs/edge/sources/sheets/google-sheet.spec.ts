import { sheetExport } from './google-sheet.js';

const GOOGLE = 'https://docs.google.com/spreadsheets';

describe('the address of a sheet as CSV', () => {
  it.each([
    ['/d/1a_B-c', '/d/1a_B-c/export?format=csv'],
    ['/d/1a_B-c/edit#gid=0', '/d/1a_B-c/export?format=csv&gid=0'],
    ['/d/1a_B-c/edit?gid=12#gid=12', '/d/1a_B-c/export?format=csv&gid=12'],
    ['/d/1a_B-c/edit?usp=sharing', '/d/1a_B-c/export?format=csv'],
    ['/d/1a_B-c/view?gid=7', '/d/1a_B-c/export?format=csv&gid=7'],
    ['/u/1/d/1a_B-c/edit#gid=3', '/u/1/d/1a_B-c/export?format=csv&gid=3'],
    ['/d/e/2PACX-1v/pubhtml?gid=5&single=true', '/d/e/2PACX-1v/pub?output=csv&single=true&gid=5'],
  ])('%s', (page, address) => {
    expect(sheetExport(GOOGLE + page)).toBe(GOOGLE + address);
  });

  it.each([
    `${GOOGLE}/d/1a/export?format=csv&gid=1`,
    'https://docs.google.com/document/d/1a/edit',
    'https://example.com/data.csv',
    '/spreadsheets/d/1a',
    's3://spreadsheets/d/1a',
  ])('%s is no page of one', (uri) => {
    expect(sheetExport(uri)).toBeUndefined();
  });
});
