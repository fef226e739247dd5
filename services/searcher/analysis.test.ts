import { scopeOf } from '../../models/scope.ts';
import { Languages } from './analysis.ts';

describe('the languages of a library', () => {
  let now = 1_000_000;
  let asked = 0;
  let there: string[] = [];
  let answer = (): Promise<string[]> => Promise.resolve(there);
  const languages = new Languages({ languages: () => (asked += 1, answer()) }, () => now);
  const scope = scopeOf('organization');
  const asks = (): Promise<readonly string[]> => languages.of(scope);

  it('are asked for once a second, and each time while there are none', async () => {
    expect([await asks(), await asks(), asked]).toEqual([[], [], 2]);
    there = ['en'];
    expect([await asks(), await asks(), asked]).toEqual([['en'], ['en'], 3]);
    now += 999;
    await asks();
    expect(asked).toBe(3);
    now += 1;
    await asks();
    expect(asked).toBe(4);
  });

  it('are asked for where the clock was put back', async () => {
    there = ['en', 'de'];
    now -= 3_600_000;
    expect(await asks()).toEqual(['en', 'de']);
  });

  it('are asked for once there is a new one, also where they were being asked for meanwhile', async () => {
    there = ['en', 'de', 'ar'];
    languages.forget('organization');
    expect(await asks()).toEqual(['en', 'de', 'ar']);
    now += 1000;
    let give: (old: string[]) => void = () => undefined;
    answer = () => new Promise((resolve) => (give = resolve));
    const before = asks();
    languages.forget('organization');
    give(['en']);
    expect(await before).toEqual(['en']);
    answer = () => Promise.resolve(there);
    expect(await asks()).toEqual(['en', 'de', 'ar']);
  });
});
