import { newRun } from '../../mixins/runs/transitions.ts';
import { assets as assetsDefinition, type Asset } from '../../models/asset.ts';
import type { Run } from '../../models/job.ts';
import { systemScope } from '../../models/scope.ts';
import { testAsset } from '../../test/support/asset.ts';
import { testHouse, type TestHouse } from '../../test/support/house.ts';
import { holdContent } from './content-holder.ts';

describe('holding a content, which is charged once', () => {
  let test: TestHouse;
  beforeAll(async () => {
    test = await testHouse();
  });
  afterAll(() => test.close());

  /** A stored file with this content, whose run stands so. */
  async function stored(id: string, sha256: string, run: Partial<Run> = {}): Promise<Asset> {
    const fresh = newRun(`job-${id}`, 1, 0);
    const asset = testAsset({ _id: id, run: { ...fresh, ...run, facts: { ...fresh.facts, sha256 } } });
    await test.house.records.collection(assetsDefinition, systemScope).put(asset);
    return asset;
  }

  it('falls to the first, also when its stage is done again, and to nobody else', async () => {
    const first = await stored('first', 'content-1');
    const second = await stored('second', 'content-1');
    expect(await holdContent(test.house, first)).toBeNull();
    expect(await holdContent(test.house, first)).toBeNull();
    expect(await holdContent(test.house, second)).toBe('first');
  });

  it('is given up by a run that ended without becoming ready', async () => {
    const first = await stored('cancelled', 'content-2');
    expect(await holdContent(test.house, first)).toBeNull();
    await stored('cancelled', 'content-2', { state: 'cancelled', phase: 'ended' });
    const second = await stored('next', 'content-2');
    expect(await holdContent(test.house, second)).toBeNull();
    expect(await holdContent(test.house, await stored('later', 'content-2'))).toBe('next');
  });

  it('stays with a run that became ready, and with one whose asset was deleted since', async () => {
    const first = await stored('ready', 'content-3');
    await holdContent(test.house, first);
    await stored('ready', 'content-3', { state: 'ready', phase: 'ended' });
    const second = await stored('copy', 'content-3');
    expect(await holdContent(test.house, second)).toBe('ready');
    await test.house.records.collection(assetsDefinition, systemScope).remove('ready');
    expect(await holdContent(test.house, second)).toBe('ready');
  });

  it('goes to exactly one of many at once', async () => {
    const files = await Promise.all(Array.from({ length: 20 }, (_, place) => stored(`many-${place}`, 'content-4')));
    const answers = await Promise.all(files.map((file) => holdContent(test.house, file)));
    expect(answers.filter((answer) => answer === null)).toHaveLength(1);
  });
});
