import { CommandPace } from './command-pace.js';

describe('the pace of commands', () => {
  it('bounds the events of one account, and neither others nor root nor the system', () => {
    const pace = new CommandPace((actor) => actor === 'ROOT');
    const loop = (actor: string, times: number): void => {
      for (let n = 0; n < times; n += 1) pace.check(actor, 3);
    };
    loop('ANN', 1600);
    expect(() => loop('ANN', 200)).toThrow(/changes more than it may; nothing was changed/);
    // A command that changes nothing costs nothing.
    pace.check('ANN', 0);
    loop('BEN', 1600);
    for (const actor of ['ROOT', 'system']) loop(actor, 10_000);
  });
});
