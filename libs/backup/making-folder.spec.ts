import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makingFolder } from './back-up.pipeline.js';

describe('the folder in which an engine makes its files of a backup', () => {
  it('is of one server alone, where several keep their backups in one folder', () => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-making-'));
    const backups = join(directory, 'backups');
    const of = (server: string): string => makingFolder(backups, join(directory, server));
    try {
      const [one, other] = [of('one'), of('other')];
      expect(other).not.toBe(one);
      expect(dirname(other)).toBe(dirname(one));
      expect(of('one')).toBe(one);
      expect(statSync(one).mode & 0o077).toBe(0);
      expect(statSync(join(directory, 'one')).mode & 0o077).toBe(0);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
