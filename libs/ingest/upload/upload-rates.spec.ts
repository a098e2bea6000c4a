import { Rate, UploadRates } from './upload-rates.js';

describe('Rate', () => {
  let time = 0;
  const rate = (perSecond: number): Rate => new Rate(perSecond, () => time);
  beforeEach(() => (time = 0));

  it('lets a second’s worth pass at once, then what the time allows', () => {
    const requests = rate(5);
    for (let n = 0; n < 5; n += 1) {
      expect(requests.wait('a', 1)).toBe(0);
      requests.use('a', 1);
    }
    expect(requests.wait('a', 1)).toBe(200);
    time += 200;
    expect(requests.wait('a', 1)).toBe(0);
    requests.use('a', 1);
    expect(requests.wait('a', 1)).toBe(200);
  });

  it('lets a single piece above the rate pass, which is paid for after', () => {
    const bytes = rate(1000);
    expect(bytes.wait('a', 1)).toBe(0);
    bytes.use('a', 10_000);
    expect(bytes.wait('a', 1)).toBe(9001);
    time += 9001;
    expect(bytes.wait('a', 1)).toBe(0);
  });

  it('saves nothing up, and is each key’s own', () => {
    const requests = rate(1);
    time = 60_000;
    requests.use('a', 1);
    expect(requests.wait('a', 1)).toBe(1000);
    expect(requests.wait('b', 1)).toBe(0);
  });

  it('has no bound at 0', () => {
    const bytes = rate(0);
    bytes.use('a', 1e12);
    expect(bytes.wait('a', 1e12)).toBe(0);
  });
});

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
});
