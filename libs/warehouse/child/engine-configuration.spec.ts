import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeEngineFiles } from './engine-configuration.js';

describe('the files of an engine', () => {
  it('are whole to who reads them while they are written again', () => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-engine-files-'));
    const users = () => join(directory, 'users.xml');
    try {
      writeEngineFiles(directory, 'uploads');
      const first = readFileSync(users(), 'utf8');
      const reader = openSync(users(), 'r');
      writeEngineFiles(directory, 'sources');
      expect(readFileSync(reader, 'utf8')).toBe(first);
      closeSync(reader);
      expect(readFileSync(users(), 'utf8')).toContain('ALLOW SQL SECURITY NONE');
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
