import { scopeOf } from '../../models/scope.ts';
import { languagesOf } from './analysis.ts';

describe('the languages of a library', () => {
  let now = 1_000_000;
  let asked = 0;
  let there: string[] = [];
  const passages = { languages: () => Promise.resolve((asked += 1, there)) };
  const languages = languagesOf(passages, () => now);
  const scope = scopeOf('organization');

  it('are asked for once a second, and each time while there are none', async () => {
    expect([await languages(scope), await languages(scope), asked]).toEqual([[], [], 2]);
    there = ['en'];
    expect([await languages(scope), await languages(scope), asked]).toEqual([['en'], ['en'], 3]);
    now += 999;
    await languages(scope);
    expect(asked).toBe(3);
    now += 1;
    await languages(scope);
    expect(asked).toBe(4);
  });

  it('are asked for where the clock was put back', async () => {
    there = ['en', 'de'];
    now -= 3_600_000;
    expect(await languages(scope)).toEqual(['en', 'de']);
  });
});
