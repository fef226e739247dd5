import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { describeConfinement } from '../../media/confinement.ts';
import { mediaToolbox } from '../../media/toolbox.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { emitEvent } from '../../mixins/events.ts';
import type { Features } from '../../mixins/features.ts';
import { videoWork } from '../../mixins/storage/video-work.ts';
import { WorkFolder } from '../../mixins/work-folder.ts';
import { stageWorker, type StagesMetadata, type StageResult, type StageWork } from '../../mixins/work/worker.ts';
import type { Video } from '../../models/video.ts';
import type { EncoderTools } from './begin-encoding.ts';
import { encodeFirst, encodeRest } from './encode-video.ts';
import { helper } from './help.ts';
import { runProgram } from './run.ts';
import { waitingMeasured } from './waiting.ts';

/** Why HDR is not brought into the range of common screens. */
const noToneMapping =
  "ffmpeg has no zscale and tonemap here, so HDR videos look pale: install an ffmpeg built with libzimg, as Debian's is";

/** The actor that encodes the videos of libraries. */
export function encoderService(app: AppContext, broker: ServiceBroker): ServiceSchema {
  const { configuration, log } = app;
  const folder = new WorkFolder(join(configuration.PLY_DATA_DIR, 'encoding'), app.nodeId);
  const media = mediaToolbox({
    programFolder: resolve(configuration.PLY_DATA_DIR, 'programs'),
    memoryMegabytes: configuration.PLY_ENCODER_MEMORY_MB,
    cpuSeconds: configuration.PLY_ENCODER_CPU_SECONDS,
    fileMegabytes: configuration.PLY_ENCODER_FILE_MB,
  });
  let toneMaps: Promise<boolean> | null = null;
  const tools: EncoderTools = {
    app,
    actions: broker,
    workshop: async (signal, use) => {
      const path = folder.next();
      await mkdir(path, { recursive: true, mode: 0o700 });
      try {
        return await use({ folder: path, media, threads: configuration.PLY_ENCODER_THREADS, signal });
      } finally {
        await rm(path, { recursive: true, force: true });
      }
    },
    toneMaps: () =>
      (toneMaps ??= runProgram({ media, signal: new AbortController().signal }, 'ffprobe', [
        '-v',
        'error',
        '-filters',
      ]).then(({ output }) => output.includes(' zscale ') && output.includes(' tonemap '))),
  };
  const slots = configuration.PLY_ENCODER_SLOTS;
  let busy = 0;
  const changed = (organizationId: string, stages: readonly string[]): void =>
    emitEvent(broker, 'runs.changed', { organizationId, stages });
  const worker = (
    stage: 'encoding_first' | 'encoding_rest',
    work: (tools: EncoderTools, given: StageWork<Video>) => Promise<StageResult<Video>>,
  ): void =>
    app.lifecycle.add(
      stageWorker(app, videoWork(app, broker, changed), {
        stage,
        slots,
        prepared: async () => {
          const missing = await media.missing();
          if (missing !== null) throw new Error(missing);
        },
        changed,
        work: async (given) => {
          busy += 1;
          try {
            return await work(tools, given);
          } finally {
            busy -= 1;
          }
        },
      }),
    );
  worker('encoding_first', encodeFirst);
  worker('encoding_rest', encodeRest);
  app.lifecycle.add(waitingMeasured(app));
  // Without a cluster there is no other encoder.
  if (configuration.PLY_NATS_URL !== null) app.lifecycle.add(helper(tools, () => busy === 0));
  return {
    name: 'encoder',
    metadata: { stages: { encoding_first: slots, encoding_rest: slots } } satisfies StagesMetadata,
    async started() {
      await folder.make();
      const missing = await media.missing();
      if (missing !== null) {
        log.warn({ reason: missing }, 'videos cannot be encoded here');
        this.metadata['features'] = { encoding: { state: 'off', detail: missing } } satisfies Features;
        return;
      }
      const isToneMapped = await tools.toneMaps();
      if (!isToneMapped) log.warn({ reason: noToneMapping }, 'HDR videos are encoded as they are');
      this.metadata['features'] = {
        encoding: { state: 'up' },
        hdr: isToneMapped ? { state: 'up' } : { state: 'off', detail: noToneMapping },
      } satisfies Features;
      const { confinement } = await media.tools();
      const isOnNetwork = confinement.network === 'none';
      log[isOnNetwork ? 'warn' : 'info']({ confinedBy: confinement.used }, describeConfinement(confinement));
    },
    stopped: () => folder.remove(),
  };
}
