import type { Blobs } from '../../adapters/blobs/port.ts';
import { assetFolder } from '../../mixins/blobs/derived.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { assets as assetsDefinition } from '../../models/asset.ts';
import { imports as importsDefinition } from '../../models/import.ts';
import { systemScope } from '../../models/scope.ts';

const day = 24 * 3_600_000;
/** Retention of the results of imports. */
const importsKeptMs = 90 * day;
const everyMs = 3_600_000;
/** The walk over all blobs runs once a day. */
const orphansEveryMs = day;
/** Maximum delays of the first rounds, which are random: processes take turns. */
const firstWithin = 60_000;
const orphansFirstWithin = 3_600_000;
const importsAtOnce = 500;
const assetsAtOnce = 200;

/** What retention needs of the app. */
export type RetentionContext = Pick<AppContext, 'records' | 'runtime'> & { blobs: Pick<Blobs, 'list' | 'remove'> };

/** Removes imports that are older than 90 days: answers how many. @throws StoreUnavailable */
export async function sweepImports(
  { records, runtime }: RetentionContext,
  isStopping: () => boolean = () => false,
): Promise<number> {
  const imports = records.collection(importsDefinition, systemScope);
  for (let all = 0; ;) {
    const removed = await imports.removeMany({ createdAt: { $lt: runtime.now() - importsKeptMs } }, importsAtOnce);
    all += removed;
    if (removed < importsAtOnce || isStopping()) return all;
  }
}

/**
 * Removes texts whose asset does not exist, which a crash or a late worker may have left. An asset's document is
 * written before its first text and removed after its last, so texts without a document are never used. Answers for how
 * many assets texts were removed. Several processes may run it at once.
 * @throws StoreUnavailable, and what the blobs throw
 */
export async function sweepOrphans(
  { records, blobs }: RetentionContext,
  isStopping: () => boolean = () => false,
): Promise<number> {
  const assets = records.collection(assetsDefinition, systemScope);
  let removed = 0;
  let page = new Map<string, string>();
  const removePage = async (): Promise<void> => {
    const existing = new Set((await assets.getMany([...page.keys()])).map(({ _id }) => _id));
    for (const [assetId, folder] of page) {
      if (existing.has(assetId)) continue;
      await blobs.remove(folder);
      removed += 1;
    }
    page = new Map();
  };
  for await (const { key } of blobs.list('derived/')) {
    if (isStopping()) return removed;
    const [, organizationId, assetId] = key.split('/');
    if (organizationId === undefined || assetId === undefined || page.has(assetId)) continue;
    if (page.size === assetsAtOnce) await removePage();
    page.set(assetId, assetFolder(organizationId, assetId));
  }
  await removePage();
  return removed;
}

/** Removes old imports every hour, and orphaned texts once a day. */
export function retentionIntakes(app: AppContext): Intake[] {
  return [
    periodicIntake({
      name: 'old imports',
      everyMs,
      firstMs: app.runtime.random() * firstWithin,
      round: (isStopping) => sweepImports(app, isStopping),
      failed: (error) => app.log.warn({ err: error }, 'removing old imports failed, will retry'),
    }),
    periodicIntake({
      name: 'orphaned texts',
      everyMs: orphansEveryMs,
      firstMs: app.runtime.random() * orphansFirstWithin,
      round: async (isStopping) => {
        const removed = await sweepOrphans(app, isStopping);
        if (removed > 0) app.log.info({ assets: removed }, 'removed texts of assets that do not exist');
      },
      failed: (error) => app.log.warn({ err: error }, 'removing orphaned texts failed, will retry'),
    }),
  ];
}
