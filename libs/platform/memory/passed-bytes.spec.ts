import { memoryUsage } from 'node:process';
import { countPassedBytes } from './passed-bytes.js';

const MIB = 1024 * 1024;
const PIECE = 64 * 1024;

/** Passes half a gibibyte in buffers. @returns the most bytes that buffers have meanwhile */
function mostBytes(told: (bytes: number) => void): number {
  let most = 0;
  for (let passed = 0; passed < 512 * MIB; passed += PIECE) {
    told(Buffer.alloc(PIECE, 1).length);
    if (passed % MIB === 0) most = Math.max(most, memoryUsage().arrayBuffers);
  }
  return most;
}

describe('countPassedBytes', () => {
  it('frees buffers before V8 searches all objects for them', () => {
    const before = memoryUsage().arrayBuffers;
    expect(mostBytes(countPassedBytes) - before).toBeLessThan(48 * MIB);
  });
});
