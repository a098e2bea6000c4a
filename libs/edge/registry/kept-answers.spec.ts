import { KeptAnswers } from './kept-answers.js';

const query = (sql: string, database = 'o_1') => ({ sql, database, format: 'json' }) as const;

describe('kept answers', () => {
  it('are those of a statement over a database in a format', () => {
    const kept = new KeptAnswers();
    kept.set(query('SELECT 1'), Buffer.from('one'));
    expect(kept.get(query('SELECT 1'))?.toString()).toBe('one');
    expect(kept.get(query('SELECT 2'))).toBeUndefined();
    expect(kept.get(query('SELECT 1', 'o_2'))).toBeUndefined();
    expect(kept.get({ ...query('SELECT 1'), format: 'csv' })).toBeUndefined();
    expect(kept.get({ ...query('SELECT 1'), settings: { limit: '1' } })).toBeUndefined();
  });

  it('go when others take their room, those first that nobody asked for', () => {
    const kept = new KeptAnswers(3000);
    kept.set(query('SELECT 1'), Buffer.alloc(1000));
    kept.set(query('SELECT 2'), Buffer.alloc(1000));
    kept.get(query('SELECT 1'));
    kept.set(query('SELECT 3'), Buffer.alloc(1000));
    expect(kept.get(query('SELECT 1'))).toHaveLength(1000);
    expect(kept.get(query('SELECT 2'))).toBeUndefined();
    expect(kept.get(query('SELECT 3'))).toHaveLength(1000);
  });

  it('are small', () => {
    const kept = new KeptAnswers();
    kept.set(query('SELECT 1'), Buffer.alloc(70_000));
    expect(kept.get(query('SELECT 1'))).toBeUndefined();
  });
});
