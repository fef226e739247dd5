import type { Feature, Features } from '../../../mixins/features.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { periodicIntake } from '../../../mixins/periodic.ts';
import { isoTime } from '../../../models/runtime.ts';
import type { IndexRecord } from '../../../models/passage-index.ts';
import type { Registrar } from '../registrar.ts';
import { IndexRecovery } from './index-recovery.ts';

/** Pause between two rounds of a running recovery, in milliseconds. */
const everyMs = 1000;
/** Rounds between two checks of a complete index: an index is rarely lost under a running program. */
const roundsBetweenChecks = 60;
/** Rounds between two log lines about the progress. */
const roundsBetweenLogs = 60;

/** The state of the index for `/health/ready`; null if there is nothing to report. */
export function indexFeature({
  recovery: run,
  unrecoverable,
}: Pick<IndexRecord, 'recovery' | 'unrecoverable'>): Feature | null {
  const incomplete: Feature | null =
    unrecoverable === 0
      ? null
      : {
          state: 'recovering',
          detail: `the passage index lacks ${unrecoverable} files whose texts are not kept, or whose job failed: reindex them (POST .../assets/{assetId}/reindex)`,
        };
  if (run === null) return incomplete;
  const { reason, since, total, made, walk } = run;
  // A walk that only verifies the index, as on a first start, has found nothing missing yet.
  const lacking = walk.started + walk.underWay + walk.unrecoverable;
  if ((reason === 'unknown' || reason === 'incomplete') && made + lacking === 0) return incomplete;
  const what = reason === 'older' ? 'the passage index is an older copy' : 'the passage index was lost';
  return {
    state: 'recovering',
    detail: `${what}: missing files are indexed again from the kept texts, ${made} so far (${Math.min(walk.looked, total)} of ${total} checked${walk.isFirst ? '' : ' again'}, since ${isoTime(since)}); searches find only what is indexed`,
  };
}

/** Checks the passage index from the start on, and reports its state in `features`. */
export function indexRecoveryIntake(registrar: Registrar, features: Features): Intake {
  const recovery = new IndexRecovery(registrar);
  const { log } = registrar.app;
  let [round, nextCheck] = [0, 0];
  return periodicIntake({
    name: 'recovery of the passage index',
    everyMs,
    firstMs: 1,
    round: async (isStopping) => {
      round += 1;
      if (round < nextCheck) return;
      const record = await recovery.round(isStopping);
      const feature = indexFeature(record);
      if (feature === null) delete features['index'];
      else features['index'] = feature;
      if (record.recovery === null) nextCheck = round + roundsBetweenChecks;
      else if (feature !== null && round % roundsBetweenLogs === 0)
        log.info({ index: feature.detail }, 'the passage index is being recovered');
    },
    failed: (error) => log.warn({ err: error }, 'the check of the passage index failed, will retry'),
  });
}
