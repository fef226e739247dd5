import type { Feature, Features } from '../../../mixins/features.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { periodicIntake } from '../../../mixins/periodic.ts';
import { isoTime } from '../../../models/ambient.ts';
import type { IndexRecord } from '../../../models/passage-index.ts';
import type { Registrar } from '../registrar.ts';
import { IndexMender } from './mending.ts';

/** Pause between two rounds while something is made anew, in milliseconds. */
const everyMs = 1000;
/** Rounds after which an index that was found whole is looked at again: it is not lost under a running program as a rule. */
const roundsBetweenLooks = 60;
/** Rounds after which the log tells how far it is. */
const roundsBetweenWords = 60;

/** How the index stands, as health tells it; null where nothing is to be said. */
export function indexFeature({ mending, unmended }: Pick<IndexRecord, 'mending' | 'unmended'>): Feature | null {
  const left: Feature | null = unmended === 0 ? null : { state: 'mending', detail: `the passage index lacks ${unmended} files whose texts are not kept, or whose job failed: reindex them (POST .../assets/{assetId}/reindex)` };
  if (mending === null) return left;
  const { reason, since, total, made, walk } = mending;
  // What is only looked through, on a first start for example, lacks nothing yet.
  const lacking = walk.started + walk.underWay + walk.unmended;
  if ((reason === 'unknown' || reason === 'left') && made + lacking === 0) return left;
  const what = reason === 'older' ? 'the passage index is an older copy' : 'the passage index was lost';
  return { state: 'mending', detail: `${what}: what it lacks is made anew from the kept texts, ${made} files so far (${Math.min(walk.looked, total)} of ${total} looked at${walk.isFirst ? '' : ' once more'}, since ${isoTime(since)}); searches find only what is there` };
}

/** Looks after the passage index from the start on, and tells in `features` how it stands. */
export function mendingIntake(registrar: Registrar, features: Features): Intake {
  const mender = new IndexMender(registrar);
  const { log } = registrar.house;
  let [round, nextLook] = [0, 0];
  return periodicIntake({
    name: 'mending of the passage index',
    everyMs,
    firstMs: 1,
    round: async (isStopping) => {
      round += 1;
      if (round < nextLook) return;
      const record = await mender.round(isStopping);
      const feature = indexFeature(record);
      if (feature === null) delete features['index'];
      else features['index'] = feature;
      if (record.mending === null) nextLook = round + roundsBetweenLooks;
      else if (feature !== null && round % roundsBetweenWords === 0) log.info({ index: feature.detail }, 'the passage index is being made anew');
    },
    failed: (error) => log.warn({ err: error }, 'the passage index is looked at later'),
  });
}
