import { settingsOf } from '../../mixins/settings/settings.ts';
import { derivedUuid, timeOrderedUuid } from '../../models/runtime.ts';
import type { Caller, ImportItem, ImportResult } from '../../models/api.ts';
import { errorCodes, Refusal, refusalOf } from '../../models/errors.ts';
import type { Run } from '../../models/job.ts';
import type { EffectiveSettings } from '../../models/settings.ts';
import { register, registrationIds } from './register.ts';
import type { Registrar } from './registrar.ts';

/** The state of an imported item. */
export interface ImportedItem {
  jobId: string;
  assetId: string;
  state: string;
  progress: number;
  errorCode: string | null;
}

async function importOne(
  registrar: Registrar,
  caller: Caller,
  item: ImportItem,
  index: number,
  idempotencyId: string | undefined,
  settings: EffectiveSettings,
): Promise<ImportResult> {
  if (!('asset' in item)) return item;
  const { asset } = item;
  try {
    return {
      externalId: asset.externalId,
      ...(await register(registrar, caller, asset, registrationIds(registrar, idempotencyId, String(index)), settings)),
    };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    const fields =
      refusal.data.fields === undefined ? {} : { fields: ['body', 'assets', index, ...refusal.data.fields.slice(1)] };
    return {
      externalId: asset.externalId,
      code: refusal.type,
      ...fields,
      detail: refusal.data.detail ?? errorCodes[refusal.type].meaning,
    };
  }
}

/** Registers up to 100 files independently: items of one externalId in their order, all others concurrently. */
export async function importAssets(
  registrar: Registrar,
  caller: Caller,
  items: readonly ImportItem[],
  idempotencyId: string | undefined,
): Promise<{ importId: string; results: ImportResult[] }> {
  // One read for all items: an import applies the settings in force when it begins.
  const settings = await settingsOf(registrar.app, caller.organizationId);
  const results: ImportResult[] = [];
  const chains = new Map<string, Promise<void>>();
  items.forEach((item, index) => {
    const key = 'asset' in item ? item.asset.externalId : `#${index}`;
    const before = chains.get(key) ?? Promise.resolve();
    chains.set(
      key,
      before.then(async () => {
        results[index] = await importOne(registrar, caller, item, index, idempotencyId, settings);
      }),
    );
  });
  await Promise.all(chains.values());
  const importId =
    idempotencyId === undefined ? timeOrderedUuid(registrar.app.runtime) : derivedUuid(`${idempotencyId}\nimport`);
  const accepted = results.flatMap((result) =>
    'assetId' in result ? [{ assetId: result.assetId, jobId: result.jobId }] : [],
  );
  await registrar.of(caller.organizationId).imports.insertNew([
    {
      _id: importId,
      organizationId: caller.organizationId,
      items: accepted,
      createdAt: registrar.app.runtime.now(),
    },
  ]);
  return { importId, results };
}

/** The states of the accepted items of an import. @throws Refusal import_not_found */
export async function readImport(
  registrar: Registrar,
  caller: Caller,
  importId: string,
): Promise<{ importId: string; items: ImportedItem[] }> {
  const { assets, archive, imports } = registrar.of(caller.organizationId);
  const record = await imports.get(importId);
  if (record === null) throw new Refusal('import_not_found');
  const current = new Map(
    (await assets.getMany(record.items.map((item) => item.assetId))).map((asset) => [asset._id, asset]),
  );
  const superseded = record.items.filter((item) => current.get(item.assetId)?.run.jobId !== item.jobId);
  const earlier = new Map(
    (await archive.getMany(superseded.map((item) => item.jobId))).map((archived) => [archived._id, archived.run]),
  );
  const items = record.items.map((item): ImportedItem => {
    const asset = current.get(item.assetId);
    const run: Run | undefined = asset?.run.jobId === item.jobId ? asset.run : earlier.get(item.jobId);
    // The file was deleted since, and its job with it.
    if (run === undefined)
      return { jobId: item.jobId, assetId: item.assetId, state: 'cancelled', progress: 0, errorCode: null };
    return {
      jobId: item.jobId,
      assetId: item.assetId,
      state: run.state,
      progress: run.progress,
      errorCode: run.errorCode,
    };
  });
  return { importId, items };
}
