import { handOver, releaseSentMemory } from './release-memory.js';

describe('releaseSentMemory', () => {
  const block = () => new Uint8Array(1024 * 1024).fill(7);

  it('frees the memory behind a part of what was handed over', () => {
    const bytes = block();
    const chunk = Buffer.from(bytes.buffer, 2, bytes.length - 4);
    handOver(bytes);
    releaseSentMemory(chunk);
    expect([chunk.length, bytes.length]).toEqual([0, 0]);
  });

  it('leaves alone what nobody handed over, and what is small', () => {
    const kept = [block(), new Uint8Array(100)];
    for (const bytes of kept.slice(1)) handOver(bytes);
    for (const bytes of kept) releaseSentMemory(bytes);
    expect(kept.map((bytes) => bytes.length)).toEqual([1024 * 1024, 100]);
  });

  it('may be told again', () => {
    const bytes = block();
    handOver(bytes);
    releaseSentMemory(bytes);
    expect(() => releaseSentMemory(bytes)).not.toThrow();
  });

  it('may be told of what is free', () => {
    const bytes = block();
    handOver(bytes);
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
    expect(() => releaseSentMemory(bytes)).not.toThrow();
  });
});
