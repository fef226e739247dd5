import type { GuardedClient } from '../../mixins/guarded-client/client.ts';
import type { House } from '../../mixins/house.ts';
import type { AddressTools } from '../../mixins/sources/address-of.ts';
import type { MediaToolbox } from './media/toolbox.ts';
import type { ExtractionPool } from './processes/pool.ts';
import type { SlideToolbox } from './slides/toolbox.ts';
import type { WorkFolder } from './work-folder.ts';

/** What extraction works with. */
export interface ExtractionTools {
  house: House;
  client: GuardedClient;
  /** Asks the connectors where a file of theirs can be read now. */
  readAddress: AddressTools['readAddress'];
  /** For loopback sources that the operator vouches for. */
  trustingClient: GuardedClient;
  /** Reads documents. */
  pool: ExtractionPool;
  /** Reads recordings. */
  media: MediaToolbox;
  /** Reads what stands on the screen of videos. */
  slides: SlideToolbox;
  folder: WorkFolder;
}
