import { newRun } from '../../mixins/indexing/runs.ts';
import { assets as assetsDefinition, type Asset } from '../../models/asset.ts';
import type { Run } from '../../models/job.ts';
import { systemScope } from '../../models/scope.ts';
import { testAsset } from '../../test/support/asset.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { claimContent } from './content-claim.ts';

describe('the claim of a content', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await testApp();
  });
  afterAll(() => test.close());

  /** A stored file with this content and run. */
  async function stored(id: string, sha256: string, run: Partial<Run> = {}): Promise<Asset> {
    const fresh = newRun(`job-${id}`, 1, 0);
    const asset = testAsset({ _id: id, run: { ...fresh, ...run, facts: { ...fresh.facts, sha256 } } });
    await test.app.records.collection(assetsDefinition, systemScope).put(asset);
    return asset;
  }

  it('belongs to the first run, also when its stage runs again, and to no other', async () => {
    const first = await stored('first', 'content-1');
    const second = await stored('second', 'content-1');
    expect(await claimContent(test.app, first)).toBeNull();
    expect(await claimContent(test.app, first)).toBeNull();
    expect(await claimContent(test.app, second)).toBe('first');
  });

  it('passes to the next run if its run ended without becoming ready', async () => {
    const first = await stored('cancelled', 'content-2');
    expect(await claimContent(test.app, first)).toBeNull();
    await stored('cancelled', 'content-2', { state: 'cancelled', phase: 'ended' });
    const second = await stored('next', 'content-2');
    expect(await claimContent(test.app, second)).toBeNull();
    expect(await claimContent(test.app, await stored('later', 'content-2'))).toBe('next');
  });

  it('stays with a run that became ready, and with one whose asset was deleted since', async () => {
    const first = await stored('ready', 'content-3');
    await claimContent(test.app, first);
    await stored('ready', 'content-3', { state: 'ready', phase: 'ended' });
    const second = await stored('copy', 'content-3');
    expect(await claimContent(test.app, second)).toBe('ready');
    await test.app.records.collection(assetsDefinition, systemScope).remove('ready');
    expect(await claimContent(test.app, second)).toBe('ready');
  });

  it('belongs to exactly one of many concurrent runs', async () => {
    const files = await Promise.all(Array.from({ length: 20 }, (_, index) => stored(`many-${index}`, 'content-4')));
    const answers = await Promise.all(files.map((file) => claimContent(test.app, file)));
    expect(answers.filter((answer) => answer === null)).toHaveLength(1);
  });
});
