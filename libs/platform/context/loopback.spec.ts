import { namesLoopback } from './loopback.js';

describe('a Host header', () => {
  it.each(['localhost', 'LOCALHOST:5080', '127.0.0.1', '127.0.0.1:5080', '[::1]', '[::1]:5080'])(
    'names this machine: %s',
    (header) => {
      expect(namesLoopback(header)).toBe(true);
    },
  );

  it.each([
    undefined,
    '',
    'example.com',
    'localhost.example.com',
    'localhost:5080:1',
    '127.0.0.1.example.com:5080',
    '1.127.0.0.1',
    '192.0.2.7:5080',
    '[::2]:5080',
  ])('names another, or none: %s', (header) => {
    expect(namesLoopback(header)).toBe(false);
  });
});
