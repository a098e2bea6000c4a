import { letGo } from './let-go.js';

describe('letGo', () => {
  it('frees the memory of bytes that have a buffer of their own', () => {
    const bytes = new Uint8Array(1024);
    const { buffer } = bytes;
    letGo(bytes);
    expect([bytes.length, buffer.byteLength]).toEqual([0, 0]);
  });

  it('leaves alone what others have a part of', () => {
    const shared = Buffer.from('of the pool');
    letGo(shared);
    expect(shared.toString()).toBe('of the pool');
  });

  it('may be told again', () => {
    const bytes = new Uint8Array(1024);
    letGo(bytes);
    expect(() => letGo(bytes)).not.toThrow();
  });
});
