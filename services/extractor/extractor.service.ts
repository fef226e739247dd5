import { join } from 'node:path';
import type { Service, ServiceBroker, ServiceSchema } from 'moleculer';
import { call } from '../../mixins/actions.ts';
import { hint } from '../../mixins/events.ts';
import type { Feature, Features } from '../../mixins/features.ts';
import { guardedClient } from '../../mixins/guarded-client/client.ts';
import { measuredClient } from '../../mixins/guarded-client/measured.ts';
import type { House } from '../../mixins/house.ts';
import { stageMetadata } from '../../mixins/runs/slots.ts';
import { stageWorker } from '../../mixins/runs/stage-worker.ts';
import type { AddressTools } from '../../mixins/sources/address-of.ts';
import { extractRevision } from './extract-revision.ts';
import { mediaToolbox } from './media/toolbox.ts';
import { createExtractionPool } from './processes/pool.ts';
import { slideToolbox } from './slides/toolbox.ts';
import { WorkFolder } from './work-folder.ts';

/**
 * Files under way for each that is being read: most of the time of a small file goes into waiting for its source and for
 * the disk, and what waits together is flushed together.
 */
const filesPerProcess = 16;

/** The actor that reads sources and turns them into blocks of text, each file in a process apart. */
export function extractorService(house: House, broker: ServiceBroker): ServiceSchema {
  const { configuration } = house;
  const places = configuration.PLY_EXTRACTOR_SLOTS * filesPerProcess;
  const folder = new WorkFolder(join(configuration.PLY_DATA_DIR, 'work'), house.nodeId);
  const client = measuredClient(guardedClient({ privateNetworks: configuration.PLY_PRIVATE_NETWORKS }), house.metrics, 'extractor');
  const readAddress: AddressTools['readAddress'] = (file) => call(broker, 'connectors.readAddress', file);
  const trustingClient = guardedClient({ privateNetworks: 'allow' });
  const pool = createExtractionPool({
    slots: configuration.PLY_EXTRACTOR_SLOTS,
    memoryMegabytes: configuration.PLY_EXTRACTION_MEMORY_MB,
    seconds: configuration.PLY_EXTRACTION_SECONDS,
    readableFolders: [folder.path],
    limits: { maxPdfPages: configuration.PLY_MAX_PDF_PAGES },
  });
  const media = mediaToolbox(configuration);
  const slides = slideToolbox(configuration);
  house.lifecycle.add(stageWorker(house, {
    stage: 'extracting',
    slots: places,
    work: (work) => extractRevision({ house, client, readAddress, trustingClient, pool, media, slides, folder }, work),
    recordUsage: (events) => call(broker, 'ledger.record', { events }),
    freed: (organizationId, stages, runs) => hint(broker, 'runs.changed', { organizationId, stages, runs }),
    left: (revision) => hint(broker, 'index.stale', revision),
  }));
  return {
    name: 'extractor',
    metadata: { ...stageMetadata('extracting', places) },
    async started(this: Service) {
      const [missing, reader] = await Promise.all([media.missing(), slides.find(), folder.make()]);
      if (missing !== null) house.log.warn({ reason: missing }, 'recordings cannot be read here');
      const withoutSlides = missing ?? ('missing' in reader ? reader.missing : null);
      if (missing === null && withoutSlides !== null) house.log.warn({ reason: withoutSlides }, 'slides of videos cannot be read here');
      this.metadata['features'] = { media: featureOf(missing), slides: featureOf(withoutSlides) } satisfies Features;
    },
    stopped: async () => {
      await pool.close();
      await Promise.all([client.close(), trustingClient.close()]);
      await folder.remove();
    },
  };
}

/** How something stands, as health and capabilities tell it. */
function featureOf(missing: string | null): Feature {
  return missing === null ? { state: 'up' } : { state: 'off', detail: missing };
}
