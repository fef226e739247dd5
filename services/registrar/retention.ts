import type { Blobs } from '../../adapters/blobs/port.ts';
import { assetFolder } from '../../mixins/blobs/derived.ts';
import type { House } from '../../mixins/house.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { assets as assetsDefinition } from '../../models/asset.ts';
import { imports as importsDefinition } from '../../models/import.ts';
import { systemScope } from '../../models/scope.ts';

const day = 24 * 3_600_000;
/** How long what an import accepted is told. */
const importsKeptMs = 90 * day;
const everyMs = 3_600_000;
/** The walk over all blobs comes once a day. */
const orphansEveryMs = day;
/** First rounds come within these times, at different times in each process. */
const firstWithin = 60_000;
const orphansFirstWithin = 3_600_000;
const importsAtOnce = 500;
const assetsAtOnce = 200;

/** What retention needs of the house. */
export type RetentionHouse = Pick<House, 'records' | 'ambient'> & { blobs: Pick<Blobs, 'list' | 'remove'> };

/** Removes imports that are older than 90 days: answers how many. @throws StoreUnavailable */
export async function sweepImports({ records, ambient }: RetentionHouse, isStopping: () => boolean = () => false): Promise<number> {
  const imports = records.collection(importsDefinition, systemScope);
  for (let all = 0; ; ) {
    const removed = await imports.removeMany({ createdAt: { $lt: ambient.now() - importsKeptMs } }, importsAtOnce);
    all += removed;
    if (removed < importsAtOnce || isStopping()) return all;
  }
}

/**
 * Removes texts of assets that are not there any more: a crash, or a worker that came back late, may have left them. An
 * asset's document is there before the first of its texts and goes after the last, so what has none is of no use. Answers
 * how many assets' texts were removed. Doing it at the same time elsewhere changes nothing.
 * @throws StoreUnavailable, and what the blobs throw
 */
export async function sweepOrphans({ records, blobs }: RetentionHouse, isStopping: () => boolean = () => false): Promise<number> {
  const assets = records.collection(assetsDefinition, systemScope);
  let removed = 0;
  let page = new Map<string, string>();
  const settle = async (): Promise<void> => {
    const there = new Set((await assets.getMany([...page.keys()])).map(({ _id }) => _id));
    for (const [assetId, folder] of page) {
      if (there.has(assetId)) continue;
      await blobs.remove(folder);
      removed += 1;
    }
    page = new Map();
  };
  for await (const { key } of blobs.list('derived/')) {
    if (isStopping()) return removed;
    const [, organizationId, assetId] = key.split('/');
    if (organizationId === undefined || assetId === undefined || page.has(assetId)) continue;
    if (page.size === assetsAtOnce) await settle();
    page.set(assetId, assetFolder(organizationId, assetId));
  }
  await settle();
  return removed;
}

/** Removes old imports every hour, and texts of nobody once a day. */
export function retentionIntakes(house: House): Intake[] {
  return [
    periodicIntake({
      name: 'old imports', everyMs, firstMs: house.ambient.random() * firstWithin,
      round: (isStopping) => sweepImports(house, isStopping),
      failed: (error) => house.log.warn({ err: error }, 'old imports are removed later'),
    }),
    periodicIntake({
      name: 'texts of nobody', everyMs: orphansEveryMs, firstMs: house.ambient.random() * orphansFirstWithin,
      round: async (isStopping) => {
        const removed = await sweepOrphans(house, isStopping);
        if (removed > 0) house.log.info({ assets: removed }, 'texts of assets that are not there were removed');
      },
      failed: (error) => house.log.warn({ err: error }, 'texts of nobody are removed later'),
    }),
  ];
}
