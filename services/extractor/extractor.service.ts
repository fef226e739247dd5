import { join } from 'node:path';
import type { Service, ServiceBroker, ServiceSchema } from 'moleculer';
import { call } from '../../mixins/actions/call.ts';
import type { Feature, Features } from '../../mixins/features.ts';
import { describeConfinement, weakestOf } from '../../media/confinement.ts';
import { guardedClient } from '../../mixins/guarded-client/client.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { indexingStage } from '../../mixins/indexing/stage.ts';
import type { StageMetadata } from '../../mixins/work/worker.ts';
import type { AddressTools } from '../../mixins/sources/address-of.ts';
import { extractRevision } from './extract-revision.ts';
import { recordingTools } from './tools.ts';
import { createExtractionPool } from './processes/pool.ts';
import { slideToolbox } from './slides/toolbox.ts';
import { WorkFolder } from '../../mixins/work-folder.ts';

/**
 * Files under way for each that is being read: most of the time of a small file goes into waiting for its source and
 * for the disk, and what waits together is flushed together.
 */
export const filesPerProcess = 16;

/** The actor that reads sources and turns them into blocks of text, each file in a separate process. */
export function extractorService(app: AppContext, broker: ServiceBroker): ServiceSchema {
  const { configuration } = app;
  const slots = configuration.PLY_EXTRACTOR_SLOTS * filesPerProcess;
  const folder = new WorkFolder(join(configuration.PLY_DATA_DIR, 'work'), app.nodeId);
  const client = guardedClient({
    privateNetworks: configuration.PLY_PRIVATE_NETWORKS,
    observe: (outcome, seconds) => app.metrics.sourceRequests.observe({ role: 'extractor', outcome }, seconds),
  });
  const readAddress: AddressTools['readAddress'] = (file) => call(broker, 'connectors.readAddress', file);
  const trustingClient = guardedClient({ privateNetworks: 'allow' });
  const pool = createExtractionPool({
    slots: configuration.PLY_EXTRACTOR_SLOTS,
    memoryMegabytes: configuration.PLY_EXTRACTION_MEMORY_MB,
    seconds: configuration.PLY_EXTRACTION_SECONDS,
    readableFolders: [folder.path],
    limits: { maxPdfPages: configuration.PLY_MAX_PDF_PAGES },
  });
  const recordings = recordingTools(configuration);
  const slides = slideToolbox(configuration);
  app.lifecycle.add(
    indexingStage(app, broker, {
      stage: 'extracting',
      slots,
      work: (work) =>
        extractRevision({ app, client, readAddress, trustingClient, pool, ...recordings, slides, folder }, work),
    }),
  );
  return {
    name: 'extractor',
    metadata: { stage: 'extracting', slots } satisfies StageMetadata,
    async started(this: Service) {
      const [missing, reader] = await Promise.all([recordings.media.missing(), slides.find(), folder.make()]);
      if (missing !== null) app.log.warn({ reason: missing }, 'recordings cannot be read here');
      const withoutSlides = missing ?? ('missing' in reader ? reader.missing : null);
      if (missing === null && withoutSlides !== null)
        app.log.warn({ reason: withoutSlides }, 'slides of videos cannot be read here');
      const confinements = [
        await pool.confinement(),
        ...(missing === null ? [(await recordings.media.tools()).confinement] : []),
        ...('missing' in reader ? [] : [reader.confinement]),
      ];
      const weakest = weakestOf(confinements);
      const isOnNetwork = weakest.network === 'none';
      app.log[isOnNetwork ? 'warn' : 'info']({ confinedBy: weakest.used }, describeConfinement(weakest));
      this.metadata['features'] = {
        media: featureOf(missing),
        slides: featureOf(withoutSlides),
        confinement: { state: isOnNetwork ? 'off' : 'up', detail: describeConfinement(weakest) },
      } satisfies Features;
    },
    stopped: async () => {
      await pool.close();
      await Promise.all([client.close(), trustingClient.close()]);
      await folder.remove();
    },
  };
}

/** The state of a feature for health reports and capabilities. */
function featureOf(missing: string | null): Feature {
  return missing === null ? { state: 'up' } : { state: 'off', detail: missing };
}
