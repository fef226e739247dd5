import { timeOrderedUuid } from '../../models/ambient.ts';
import type { Caller, ImportItem, ImportResult } from '../../models/api.ts';
import { errorCodes, Refusal, refusalOf } from '../../models/errors.ts';
import type { Run } from '../../models/job.ts';
import { derivedUuid, register, registrationIds } from './register.ts';
import type { Registrar } from './registrar.ts';

/** How an imported item stands. */
export interface ImportedItem {
  jobId: string;
  assetId: string;
  state: string;
  progress: number;
  errorCode: string | null;
}

async function importOne(registrar: Registrar, caller: Caller, item: ImportItem, place: number, idempotencyId: string | undefined): Promise<ImportResult> {
  if (!('asset' in item)) return item;
  const { asset } = item;
  try {
    return { externalId: asset.externalId, ...(await register(registrar, caller, asset, registrationIds(registrar, idempotencyId, String(place)))) };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    const fields = refusal.data.fields === undefined ? {} : { fields: ['body', 'assets', place, ...refusal.data.fields.slice(1)] };
    return { externalId: asset.externalId, code: refusal.type, ...fields, detail: refusal.data.detail ?? errorCodes[refusal.type].meaning };
  }
}

/** Registers up to 100 files, each on its own: items of one externalId one after the other, all others at once. */
export async function importAssets(registrar: Registrar, caller: Caller, items: readonly ImportItem[], idempotencyId: string | undefined): Promise<{ importId: string; results: ImportResult[] }> {
  const results: ImportResult[] = [];
  const chains = new Map<string, Promise<void>>();
  items.forEach((item, place) => {
    const key = 'asset' in item ? item.asset.externalId : `#${place}`;
    const before = chains.get(key) ?? Promise.resolve();
    chains.set(key, before.then(async () => {
      results[place] = await importOne(registrar, caller, item, place, idempotencyId);
    }));
  });
  await Promise.all(chains.values());
  const importId = idempotencyId === undefined ? timeOrderedUuid(registrar.house.ambient) : derivedUuid(`${idempotencyId}\nimport`);
  const accepted = results.flatMap((result) => ('assetId' in result ? [{ assetId: result.assetId, jobId: result.jobId }] : []));
  await registrar.of(caller.organizationId).imports.insertNew([{ _id: importId, organizationId: caller.organizationId, items: accepted, createdAt: registrar.house.ambient.now() }]);
  return { importId, results };
}

/** How the accepted items of an import stand. @throws Refusal import_not_found */
export async function readImport(registrar: Registrar, caller: Caller, importId: string): Promise<{ importId: string; items: ImportedItem[] }> {
  const { assets, archive, imports } = registrar.of(caller.organizationId);
  const record = await imports.get(importId);
  if (record === null) throw new Refusal('import_not_found');
  const current = new Map((await assets.getMany(record.items.map((item) => item.assetId))).map((asset) => [asset._id, asset]));
  const superseded = record.items.filter((item) => current.get(item.assetId)?.run.jobId !== item.jobId);
  const earlier = new Map((await archive.getMany(superseded.map((item) => item.jobId))).map((archived) => [archived._id, archived.run]));
  const items = record.items.map((item): ImportedItem => {
    const asset = current.get(item.assetId);
    const run: Run | undefined = asset?.run.jobId === item.jobId ? asset.run : earlier.get(item.jobId);
    // The file was deleted since: its job is gone, and nothing more will come of it.
    if (run === undefined) return { jobId: item.jobId, assetId: item.assetId, state: 'cancelled', progress: 0, errorCode: null };
    return { jobId: item.jobId, assetId: item.assetId, state: run.state, progress: run.progress, errorCode: run.errorCode };
  });
  return { importId, items };
}
