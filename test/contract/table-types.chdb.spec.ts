import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MillraceError } from '@app/platform';
import { quoteText } from '@app/warehouse';
import { refuseOtherTypes } from '../../libs/acceptance/table/refuse-other-types.js';
import { openLocalEngine } from '../server/open-local-engine.js';

/** Each case has a field's type in its file, the type that the engine gave, and whether they are the same. */
const CASES = [
  ['Int64', 'Nullable(Int64)', true],
  ['Int64', 'Nullable(Float32)', false],
  ['Int64', 'Nullable(Int32)', false],
  ['Int64', 'Nullable(UInt64)', false],
  ['Float32', 'Nullable(Float64)', false],
  ['Decimal(5, 2)', 'Nullable(Decimal(5, 2))', true],
  ['Decimal(5, 2)', 'Nullable(Decimal(5, 1))', false],
  ['Array(Nullable(Float64))', 'Array(Nullable(Float64))', true],
  ['Array(Nullable(Float64))', 'Array(Nullable(Float32))', false],
  ['Date32', 'Nullable(Int32)', true],
  ["DateTime64(9, 'UTC')", 'Nullable(Int128)', true],
  ['DateTime64(6)', 'Nullable(Float64)', false],
  ['Time64(6)', 'Nullable(Int64)', true],
  ['Micros', 'Nullable(Int32)', false],
  ['String', 'Nullable(String)', true],
  ['JSON', 'String', true],
] as const;

describe("rows that are not of their file's types", () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-types-'));
  const engine = openLocalEngine(folder);
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(CASES)('%s that comes as %s: %s', async (kind, type, same) => {
    const rows = `SELECT defaultValueOfTypeName(${quoteText(type)}) AS f0`;
    const refused = refuseOtherTypes(engine, rows, [{ name: 'x', kind, foreignText: false }]);
    if (same) await refused;
    else await expect(refused).rejects.toBeInstanceOf(MillraceError);
  });
});
