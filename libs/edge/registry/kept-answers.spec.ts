import { KeptAnswers } from './kept-answers.js';

const query = (sql: string, database = 'o_1') => ({ sql, database, format: 'json' }) as const;

const FILES = 'a.parquet 7 100 1';

describe('kept answers', () => {
  it('are those of a statement over a database in a format', () => {
    const kept = new KeptAnswers();
    kept.set(query('SELECT 1'), FILES, Buffer.from('one'));
    expect(kept.get(query('SELECT 1'), FILES)?.toString()).toBe('one');
    expect(kept.get(query('SELECT 2'), FILES)).toBeUndefined();
    expect(kept.get(query('SELECT 1', 'o_2'), FILES)).toBeUndefined();
    expect(kept.get(query('SELECT 1'), 'a.parquet 7 100 2')).toBeUndefined();
    expect(kept.get({ ...query('SELECT 1'), format: 'csv' }, FILES)).toBeUndefined();
    expect(kept.get({ ...query('SELECT 1'), settings: { limit: '1' } }, FILES)).toBeUndefined();
  });

  it('go when others take their room, those first that nobody asked for', () => {
    const kept = new KeptAnswers(3000);
    kept.set(query('SELECT 1'), FILES, Buffer.alloc(1000));
    kept.set(query('SELECT 2'), FILES, Buffer.alloc(1000));
    kept.get(query('SELECT 1'), FILES);
    kept.set(query('SELECT 3'), FILES, Buffer.alloc(1000));
    expect(kept.get(query('SELECT 1'), FILES)).toHaveLength(1000);
    expect(kept.get(query('SELECT 2'), FILES)).toBeUndefined();
    expect(kept.get(query('SELECT 3'), FILES)).toHaveLength(1000);
  });

  it('are small', () => {
    const kept = new KeptAnswers();
    kept.set(query('SELECT 1'), FILES, Buffer.alloc(70_000));
    expect(kept.get(query('SELECT 1'), FILES)).toBeUndefined();
  });
});
