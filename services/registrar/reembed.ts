import { derivedKey } from '../../mixins/blocks/blocks.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { isFinished } from '../../mixins/runs/transitions.ts';
import { assets as assetsDefinition, type Asset } from '../../models/asset.ts';
import { systemScope } from '../../models/scope.ts';
import { derivedNames } from '../../models/transcript.ts';
import { startRun } from './register.ts';
import type { Registrar } from './registrar.ts';

const intervalMs = 5000;
/** Files that are embedded anew at a time: customers' own files go first. */
const underWayAtMost = 4;

/** Files looked at in one round. */
const lookedAt = 50;
/** How long a file whose embedding failed for good, or was cancelled, is left alone. */
const pauseAfterFailureMs = 3_600_000;
/** How long a file that was just embedded anew is left alone: embedders may have another model than this process knows of. */
const pauseAfterSuccessMs = 600_000;

/**
 * After a change of the embedding model: gives each file whose passages have vectors of another one a new revision that
 * starts at embedding, from the blocks that are kept. Until it is ready the file is found by words; vectors of unlike
 * models never meet, because each revision carries its model's id.
 */
class Reembedding {
  private readonly registrar: Registrar;
  /** Where the last round stopped, so that files which cannot be embedded now do not stand in the way of others. */
  private place: [string, string] = ['', ''];

  constructor(registrar: Registrar) {
    this.registrar = registrar;
  }

  /** Starts a few runs. Answers how many. */
  async round(): Promise<number> {
    const { house } = this.registrar;
    const current = house.embeddings.model?.id ?? null;
    if (current === null) return 0;
    const all = house.records.collection(assetsDefinition, systemScope);
    let room = underWayAtMost - (await embeddedAnewNow(this.registrar));
    let started = 0;
    while (room > 0) {
      // The index answers ranges, not inequality: what sorts before the current id, then what sorts after it.
      const range = this.place[0] < current ? { $gte: this.place[0], $lt: current } : { $gt: current };
      const page = await all.find({ filter: { embeddedWith: range }, sort: [['embeddedWith', 1], ['_id', 1]], after: this.place, limit: lookedAt });
      for (const asset of page) {
        if (room <= 0) return started;
        this.place = [asset.embeddedWith ?? '', asset._id];
        if (await reembed(this.registrar, asset)) {
          started++;
          room--;
        }
      }
      if (page.length === lookedAt) continue;
      if (this.place[0] >= current) {
        this.place = ['', ''];
        return started;
      }
      this.place = [current, ''];
    }
    return started;
  }
}

async function reembed(registrar: Registrar, asset: Asset): Promise<boolean> {
  const { house } = registrar;
  if (asset.activeRevision === null || asset.deletedAt !== null || !isFinished(asset.run)) return false;
  const pause = asset.run.state === 'ready' ? pauseAfterSuccessMs : pauseAfterFailureMs;
  if (asset.run.purpose === 'reembed' && house.records.time() - asset.run.updatedAt < pause) return false;
  // A recording may be without a transcript: nothing was heard in it.
  if (asset.kind === 'document' && !(await house.blobs.exists(derivedKey(asset.organizationId, asset._id, asset.activeRevision, derivedNames.blocks)))) return false;
  return embedAnew(registrar, asset);
}

/** Files that are embedded anew at the moment. */
export function embeddedAnewNow(registrar: Registrar): Promise<number> {
  const all = registrar.house.records.collection(assetsDefinition, systemScope);
  return all.count({ 'run.purpose': 'reembed', 'run.phase': { $in: ['waiting', 'dispatched', 'working', 'put_off'] } });
}

/** Gives a file whose job has ended a new revision that is made of the kept text of the active one. False where it changed meanwhile. */
export async function embedAnew(registrar: Registrar, asset: Asset): Promise<boolean> {
  const { house } = registrar;
  const { assets, archive } = registrar.of(asset.organizationId);
  const started = await startRun(registrar, assets, archive, asset, house.ambient.uuid(), {}, house.ambient.now(), { purpose: 'reembed', stage: 'embedding', facts: asset.facts ?? asset.run.facts });
  if (started === null) return false;
  registrar.changed(asset.organizationId);
  return true;
}

/** Looks for files to embed anew now and then. */
export function reembedIntake(registrar: Registrar): Intake {
  const reembedding = new Reembedding(registrar);
  const { log } = registrar.house;
  return periodicIntake({
    name: 'embedding anew',
    everyMs: intervalMs,
    round: async () => {
      const files = await reembedding.round();
      if (files > 0) log.info({ files }, 'files are embedded anew with the current model');
    },
    failed: (error) => log.warn({ err: error }, 'embedding anew goes on later'),
  });
}
