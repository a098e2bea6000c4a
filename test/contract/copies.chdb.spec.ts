import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSourceEngine, type SourceEngine } from '@app/warehouse';
import { COPIES, makeCopy } from '../../libs/edge/registry/copies.js';

const NO_LIMITS = { readRows: 0, readBytes: 0, resultRows: 0, resultBytes: 0 };
const MIB = 1024 ** 2;

describe('a copy of a table', () => {
  let folder: string;
  let engine: SourceEngine;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'copies-'));
    engine = await openSourceEngine({
      directory: folder,
      limits: { ...NO_LIMITS, timeoutSeconds: 60, memoryBytes: 1024 ** 3 },
      readers: 1,
      definers: 1,
    });
    await engine.statements.run(`CREATE DATABASE ${COPIES}`);
  });
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['in memory, where its files and its rows are small', MIB, 10_000, 'Memory'],
    ['on disk, where small files unpack to much', MIB, 60_000_000, 'MergeTree'],
    ['on disk, where its files are large', 10 * MIB, 10_000, 'MergeTree'],
    ['on disk, where nobody knows', undefined, 10_000, 'MergeTree'],
  ])('lies %s', async (_where, sourceBytes, bytes, kind) => {
    const rows = `SELECT repeat('x', 1000) AS t FROM numbers(${bytes / 1000})`;
    const copy = await makeCopy(rows, sourceBytes, engine.statements);
    const tables = await engine.statements.run(
      `SELECT engine FROM system.tables WHERE database = '${COPIES}' FORMAT TSVRaw`,
    );
    expect(tables).toBe(`${kind}\n`);
    const length = await engine.statements.run(`SELECT sum(length(t)) FROM ${copy} FORMAT TSVRaw`);
    expect(Number(length)).toBe(bytes);
    await engine.statements.run(`DROP TABLE ${copy}`);
  });
});
