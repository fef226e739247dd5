import { embeddingId } from '../../adapters/embeddings/port.ts';
import { derivedKey } from '../../mixins/blocks/blocks.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { isFinished } from '../../mixins/work/transitions.ts';
import { assets as assetsDefinition, type Asset } from '../../models/asset.ts';
import { systemScope } from '../../models/scope.ts';
import { derivedNames } from '../../models/transcript.ts';
import { isOutboxFull, startRun } from './register.ts';
import type { Registrar } from './registrar.ts';

const intervalMs = 5000;
/** Maximum number of concurrent re-embedding jobs: customers' jobs have priority. */
const maxJobs = 4;
/** Files of a page. */
const pageSize = 50;
/** Milliseconds before a file whose re-embedding failed or was cancelled is retried. */
const pauseAfterFailureMs = 3_600_000;
/** Milliseconds before a re-embedded file is checked again: embedders may run another model than this process. */
const pauseAfterSuccessMs = 600_000;

/**
 * After a change of the embedding model, gives each file that was embedded with other models a new revision,
 * whose run starts at embedding, from the stored blocks. Until it is ready the file is found by keywords, and by the
 * vectors of models that are still configured. Vectors of two models are never compared, because each carries its
 * model's id.
 */
class Reembedding {
  private readonly registrar: Registrar;
  /** Model id and asset id at which the last round stopped: files that cannot be embedded now do not block others. */
  private cursor: [string, string] = ['', ''];

  constructor(registrar: Registrar) {
    this.registrar = registrar;
  }

  /** Starts a few runs. Returns how many. */
  async round(): Promise<number> {
    const { app } = this.registrar;
    const current = embeddingId(app.embeddings);
    if (current === null) return 0;
    const all = app.records.collection(assetsDefinition, systemScope);
    let freeJobs = maxJobs - (await countReembedding(this.registrar));
    let started = 0;
    while (freeJobs > 0) {
      // The index supports ranges, not inequality: ids before the current one, then ids after it.
      const range = this.cursor[0] < current ? { $gte: this.cursor[0], $lt: current } : { $gt: current };
      const page = await all.find({
        filter: { embeddedWith: range },
        sort: [
          ['embeddedWith', 1],
          ['_id', 1],
        ],
        after: this.cursor,
        limit: pageSize,
      });
      for (const asset of page) {
        if (freeJobs <= 0) return started;
        this.cursor = [asset.embeddedWith ?? '', asset._id];
        if (await reembed(this.registrar, asset)) {
          started++;
          freeJobs--;
        }
      }
      if (page.length === pageSize) continue;
      if (this.cursor[0] >= current) {
        this.cursor = ['', ''];
        return started;
      }
      this.cursor = [current, ''];
    }
    return started;
  }
}

async function reembed(registrar: Registrar, asset: Asset): Promise<boolean> {
  const { app } = registrar;
  if (asset.activeRevision === null || asset.deletedAt !== null || !isFinished(asset.run)) return false;
  const pause = asset.run.state === 'ready' ? pauseAfterSuccessMs : pauseAfterFailureMs;
  if (asset.run.purpose === 'reembed' && app.records.time() - asset.run.updatedAt < pause) return false;
  // A recording without speech has no transcript.
  if (
    asset.kind === 'document' &&
    !(await app.blobs.exists(derivedKey(asset.organizationId, asset._id, asset.activeRevision, derivedNames.blocks)))
  )
    return false;
  return startReembedding(registrar, asset);
}

/** Counts the running re-embedding jobs. */
export function countReembedding(registrar: Registrar): Promise<number> {
  const all = registrar.app.records.collection(assetsDefinition, systemScope);
  return all.count({ 'run.purpose': 'reembed', 'run.phase': { $in: ['waiting', 'dispatched', 'working', 'put_off'] } });
}

/**
 * Starts a new revision of a file whose job has ended, from the stored text of the active revision. False if the file
 * changed meanwhile, or its outbox is full.
 */
export async function startReembedding(registrar: Registrar, asset: Asset): Promise<boolean> {
  if (isOutboxFull(asset)) return false;
  const { app } = registrar;
  const { assets, archive } = registrar.of(asset.organizationId);
  const started = await startRun(registrar, assets, archive, asset, app.runtime.uuid(), {}, app.runtime.now(), {
    purpose: 'reembed',
    stage: 'embedding',
    facts: asset.facts ?? asset.run.facts,
  });
  if (started === null) return false;
  registrar.changed(asset.organizationId);
  return true;
}

/** Polls for files to embed again. */
export function reembedIntake(registrar: Registrar): Intake {
  const reembedding = new Reembedding(registrar);
  const { log } = registrar.app;
  return periodicIntake({
    name: 're-embedding',
    everyMs: intervalMs,
    round: async () => {
      const files = await reembedding.round();
      if (files > 0) log.info({ files }, 'files are embedded again with the current model');
    },
    failed: (error) => log.warn({ err: error }, 're-embedding failed, will retry'),
  });
}
