import fc from 'fast-check';
import type { OwnOf, SettingsRow, VideoDefaults } from '../../models/settings.ts';
import { deploymentSettings, effectiveSettings, originOf, videoChain } from './settings.ts';

const maybe = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(some, { nil: null });

const videoRow: fc.Arbitrary<OwnOf<VideoDefaults>> = fc.record({
  ladder: maybe(fc.subarray([240, 360, 1080], { minLength: 1 })),
  keepOriginal: maybe(fc.boolean()),
  download: maybe(fc.boolean()),
  thumbnails: maybe(fc.boolean()),
});

const rowOf = (organizationId: string): fc.Arbitrary<SettingsRow> =>
  fc.record({
    _id: fc.constant(organizationId),
    organizationId: fc.constant(organizationId),
    sourceHosts: maybe(fc.array(fc.constantFrom('a.example', '*.b.example'), { maxLength: 2 })),
    callbackUrl: maybe(fc.constantFrom('https://a.example/', 'https://b.example/')),
    sealedCallbackSecret: maybe(fc.constantFrom(`sealed by ${organizationId}`)),
    dailyAudioHours: maybe(fc.constantFrom(0, 0.5, 100_000)),
    requireAcl: maybe(fc.boolean()),
    extractContentFromVideoFrames: maybe(fc.boolean()),
    searchLogDays: maybe(fc.constantFrom(0, 1, 3650)),
    videoDefaults: videoRow,
    createdAt: fc.constant(0),
    updatedAt: fc.constant(0),
  });

const plain = [
  'sourceHosts',
  'callbackUrl',
  'dailyAudioHours',
  'requireAcl',
  'extractContentFromVideoFrames',
  'searchLogDays',
] as const;
const video = ['ladder', 'keepOriginal', 'download', 'thumbnails'] as const;

/** Whether a value is set. Zero, false and the like are. */
function isSet(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}

describe('inherited settings', () => {
  it('are each the nearest set value, independently of the others, and name its origin', () => {
    fc.assert(
      fc.property(maybe(rowOf('child')), maybe(rowOf('parent')), (own, parent) => {
        const chain = { own, parent };
        const effective = effectiveSettings(chain);
        for (const field of plain) {
          const expected = isSet(own?.[field])
            ? ['own', own?.[field]]
            : isSet(parent?.[field])
              ? ['parent', parent?.[field]]
              : ['deployment', deploymentSettings[field]];
          expect([field, originOf(chain, field), effective[field]]).toEqual([field, ...expected]);
        }
        for (const field of video) {
          const expected = isSet(own?.videoDefaults[field])
            ? ['own', own?.videoDefaults[field]]
            : isSet(parent?.videoDefaults[field])
              ? ['parent', parent?.videoDefaults[field]]
              : ['deployment', deploymentSettings.videoDefaults[field]];
          expect([field, originOf(videoChain(chain), field), effective.videoDefaults[field]]).toEqual([
            field,
            ...expected,
          ]);
        }
        const holder = [own, parent].find((row) => isSet(row?.sealedCallbackSecret));
        expect(effective.callbackSecret).toEqual(
          holder === undefined || holder === null
            ? null
            : { organizationId: holder.organizationId, sealed: `sealed by ${holder.organizationId}` },
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('of an organization without a parent come from itself or the deployment', () => {
    fc.assert(
      fc.property(rowOf('child'), (row) => {
        expect(effectiveSettings({ own: null, parent: null })).toEqual(deploymentSettings);
        // A fully inherited row is equal to an own row.
        expect(effectiveSettings({ own: null, parent: row })).toEqual(effectiveSettings({ own: row, parent: null }));
      }),
    );
  });
});
