import { UploadRates } from './upload-rates.js';

describe('UploadRates', () => {
  const limits = {
    maxBytes: 1,
    maxRecordBytes: 1,
    minFreeDiskBytes: 1,
    idleSeconds: 1,
    minBytesPerSecond: 1,
  };

  it('refuses with the seconds to wait, by requests and by decoded bytes', async () => {
    const rates = new UploadRates({ ...limits, requestsPerSecond: 100, bytesPerSecond: 10 });
    rates.admit('a');
    const pieces: Buffer[] = [];
    const body = (async function* () {
      yield await Promise.resolve(Buffer.alloc(25));
    })();
    for await (const piece of rates.counted('a', body)) pieces.push(piece);
    expect(pieces).toHaveLength(1);
    expect(() => rates.admit('a')).toThrow(
      expect.objectContaining({ kind: 'TOO_MANY_REQUESTS', retryAfterSeconds: 2 }) as Error,
    );
    expect(() => rates.admit('b')).not.toThrow();
  });

  it('counts an answer that is kept with a key by its size', () => {
    const rates = new UploadRates({ ...limits, requestsPerSecond: 0, bytesPerSecond: 0 });
    const largest = 2 * 1024 * 1024;
    let kept = 0;
    expect(() => {
      for (; kept < 100; kept += 1) rates.admitAnswer('a', largest);
    }).toThrow(expect.objectContaining({ kind: 'TOO_MANY_REQUESTS' }) as Error);
    expect(kept).toBeLessThan(11);
    for (let few = 0; few < 20_000; few += 1) rates.admitAnswer('b', 300);
    expect(() => rates.admitAnswer('b', largest)).not.toThrow();
  });
});
