import { accounts } from '../../../models/organization.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { emptySettings, settingsRows } from '../../../models/settings.ts';
import { testAsset } from '../../../test/support/asset.ts';
import { testApp, type TestApp } from '../../../test/support/app.ts';
import { wantsSlides } from './write-slides.ts';

describe('whether slides of a video are read', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await testApp();
  });
  afterAll(() => test.close());

  async function set(extractContentFromVideoFrames: boolean | null, features?: string[]): Promise<void> {
    const { records } = test.app;
    await records.collection(settingsRows, scopeOf('organization')).put({
      ...emptySettings('organization', 0),
      extractContentFromVideoFrames,
    });
    await records.collection(accounts, systemScope).put({
      _id: 'account',
      organizationId: 'organization',
      plan: null,
      ...(features === undefined ? {} : { features }),
      timeZone: 'UTC',
      createdAt: 0,
    });
  }
  const wants = async (): Promise<boolean[]> => {
    const answers: boolean[] = [];
    for (const extractContentFromVideoFrames of [null, true, false]) {
      answers.push(
        await wantsSlides(
          test.app,
          testAsset({
            organizationId: 'organization',
            accountId: 'account',
            kind: 'video',
            extractContentFromVideoFrames,
          }),
        ),
      );
    }
    return answers;
  };

  it.each<[boolean | null, string[] | undefined, boolean[]]>([
    [null, undefined, [false, true, false]],
    [true, undefined, [true, true, false]],
    [false, undefined, [false, true, false]],
    [true, ['slides'], [true, true, false]],
    [true, ['permissions'], [false, false, false]],
    [true, [], [false, false, false]],
  ])('with the setting %s and the plan %s: unset, true, false: %s', async (setting, features, expected) => {
    await set(setting, features);
    expect(await wants()).toEqual(expected);
  });
});
