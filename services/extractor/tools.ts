import { resolve } from 'node:path';
import { mediaToolbox, type MediaToolbox } from '../../media/toolbox.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import type { GuardedClient } from '../../mixins/guarded-client/client.ts';
import type { AddressTools } from '../../mixins/sources/address-of.ts';
import type { Configuration } from '../../models/configuration/configuration.ts';
import type { ExtractionPool } from './processes/pool.ts';
import type { SlideToolbox } from './slides/toolbox.ts';
import { FairSlots } from '../../models/fair-slots.ts';
import type { WorkFolder } from '../../mixins/work-folder.ts';

/** What extraction works with. */
export interface ExtractionTools {
  app: AppContext;
  client: GuardedClient;
  /** Asks the connectors where a file of theirs can be read now. */
  readAddress: AddressTools['readAddress'];
  /** For loopback sources that the operator vouches for. */
  trustingClient: GuardedClient;
  /** Reads documents. */
  pool: ExtractionPool;
  /** Reads recordings. */
  media: MediaToolbox;
  /** Slots of recordings that are decoded at the same time. */
  mediaSlots: FairSlots;
  /** Reads the text on the screen of videos. */
  slides: SlideToolbox;
  folder: WorkFolder;
}

/** The tools for recordings, with the limits of a configuration. */
export function recordingTools(configuration: Configuration): Pick<ExtractionTools, 'media' | 'mediaSlots'> {
  return {
    media: mediaToolbox({
      programFolder: resolve(configuration.PLY_DATA_DIR, 'programs'),
      memoryMegabytes: configuration.PLY_MEDIA_MEMORY_MB,
      cpuSeconds: configuration.PLY_MEDIA_CPU_SECONDS,
    }),
    mediaSlots: new FairSlots(configuration.PLY_MEDIA_SLOTS),
  };
}
