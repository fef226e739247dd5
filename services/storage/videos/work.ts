import type { AppContext } from '../../../mixins/app-context.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { videoWork } from '../../../mixins/storage/video-work.ts';
import { stageWorker } from '../../../mixins/work/worker.ts';
import type { Storage } from '../tools.ts';
import { removeVideoFiles } from './remove.ts';

/** Deleted videos whose files a process removes at a time. */
export const videoSlots = { removing_video: 2 };

/** The intake that removes the files of deleted videos in this process. */
export function videoRemover(app: AppContext, storage: Storage): Intake {
  return stageWorker(app, videoWork(app, storage.actions, storage.wakeUp), {
    stage: 'removing_video',
    slots: videoSlots.removing_video,
    changed: (organizationId, stages) => storage.wakeUp(organizationId, stages),
    work: (given) => removeVideoFiles(storage, given),
  });
}
