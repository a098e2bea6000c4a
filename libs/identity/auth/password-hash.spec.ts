import { hashPassword, passwordProblem, verifyPassword } from './password-hash.js';

describe('a password’s hash', () => {
  it('is argon2id with at least 19 MiB and two passes, and another one each time', async () => {
    const [one, two] = await Promise.all([hashPassword('Secret-77'), hashPassword('Secret-77')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(two);
  });

  it('fits its password and no other', async () => {
    const hash = await hashPassword('Pässword-7:x');
    const answers = ['Pässword-7:x', 'Pässword-7', 'pässword-7:x', ''].map((password) =>
      verifyPassword(hash, password),
    );
    expect(await Promise.all(answers)).toEqual([true, false, false, false]);
  });
});

describe('passwordProblem', () => {
  it('wants length and four kinds of characters', () => {
    const wrong = [
      '',
      'Ab-1567',
      'abcdefg-1',
      'ABCDEFG-1',
      'Abcdefg-h',
      'Abcdefg11',
      `Ab-1${'x'.repeat(125)}`,
    ];
    for (const password of wrong) expect(passwordProblem(password)).toMatch(/8 to 128 characters/);
    for (const password of ['Ab-15678', 'Ab:15678', 'Aä1aaaaa', `Ab-1${'x'.repeat(124)}`])
      expect(passwordProblem(password)).toBeUndefined();
  });

  it('refuses one that could not be sent', () => {
    expect(passwordProblem(':Ab-15678')).toMatch(/colon/);
  });
});
