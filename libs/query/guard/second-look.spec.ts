import { foreignTable } from './second-look.js';

const ENGINE_TABLES = new Set(['system.tables', 'system.one', 'information_schema.columns']);
const OTHER = `o_${'b'.repeat(32)}`;

describe('the second look at a statement', () => {
  it.each([
    ['SELECT * FROM system.tables', 'system.tables'],
    ['SELECT 1 IN (system.one)', 'system.one'],
    ['SELECT * FROM `system`.`tables`', 'system.tables'],
    ['SELECT * FROM INFORMATION_SCHEMA.columns', 'INFORMATION_SCHEMA.columns'],
    [`SELECT * FROM ${OTHER}.secret`, `${OTHER}.secret`],
    [`SELECT ${OTHER}.x.y FROM t`, `${OTHER}.x`],
    ["SELECT '\\'' FROM system.tables WHERE 'a'", 'system.tables'],
  ])('finds the table in %s', (statement, name) => {
    expect(foreignTable(statement, ENGINE_TABLES)).toBe(name);
  });

  it.each([
    "SELECT 'system.tables', 'it\\'s system.tables' FROM t",
    'SELECT system.cpu.load FROM t',
    'SELECT t.system.tables FROM t',
    'SELECT my_system.tables FROM t',
    'SELECT * FROM `system\ue02etables`',
    'SELECT o_1.x FROM t AS o_1',
  ])('finds none in %s', (statement) => {
    expect(foreignTable(statement, ENGINE_TABLES)).toBeUndefined();
  });
});
