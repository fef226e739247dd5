import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planFeatures } from '../../models/plan.ts';
import { readPlans } from './plans.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-plans-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Written {
  plans: { name: string; features: string[]; limits: { [name: string]: unknown } }[];
}

/** Writes the example file with a change to a new file. */
function changed(change: (file: Written) => void): string {
  const file = JSON.parse(readFileSync('plans/examples.json', 'utf8')) as Written;
  change(file);
  const path = join(folder, 'plans.json');
  writeFileSync(path, JSON.stringify(file));
  return path;
}

describe('the file of plans', () => {
  it('is optional, and the example file is valid', async () => {
    expect(await readPlans({ PLY_PLANS_FILE: null })).toEqual([]);
    const plans = await readPlans({ PLY_PLANS_FILE: 'plans/examples.json' });
    expect(plans.map(({ name }) => name)).toEqual(['starter', 'growth', 'enterprise']);
    expect(plans[2]?.features).toEqual([...planFeatures]);
  });

  it.each<[string, (file: Written) => void, RegExp]>([
    ['a feature that is none', ({ plans }) => plans[0]?.features.push('search'), /plans 0 features 3 must be one of/],
    [
      'a limit that is missing',
      ({ plans }) => delete plans[1]?.limits['requestsPerMinute'],
      /plans 1 limits requestsPerMinute is missing/,
    ],
    [
      'a limit that is no number',
      ({ plans }) => plans[1] && (plans[1].limits['requestsPerMinute'] = '7'),
      /plans 1 limits requestsPerMinute/,
    ],
    ['a name twice', ({ plans }) => plans[1] && (plans[1].name = 'starter'), /plans 1 name is used twice/],
    ['a plan called none', ({ plans }) => plans[1] && (plans[1].name = 'none'), /plans 1 name must be a plan name/],
    ['a field that is unknown', (file) => Object.assign(file, { prices: [] }), /prices is not a known field/],
  ])('with %s is refused with the path of the fault', async (_, change, reason) => {
    await expect(readPlans({ PLY_PLANS_FILE: changed(change) })).rejects.toThrow(reason);
    await expect(readPlans({ PLY_PLANS_FILE: changed(change) })).rejects.toThrow('PLY_PLANS_FILE: ');
  });

  it('is refused if it cannot be read', async () => {
    await expect(readPlans({ PLY_PLANS_FILE: join(folder, 'absent.json') })).rejects.toThrow(
      /PLY_PLANS_FILE: .*absent\.json: .*ENOENT/,
    );
    writeFileSync(join(folder, 'broken.json'), '{');
    await expect(readPlans({ PLY_PLANS_FILE: join(folder, 'broken.json') })).rejects.toThrow('PLY_PLANS_FILE');
  });
});
