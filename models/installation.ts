import { defineCollection } from './collection.ts';

/** An installation: the processes that share one records store. */
export interface Installation {
  /** Made at the first start; a UUID. */
  id: string;
  /** Begins the names of its subjects and of its stream on NATS. */
  natsPrefix: string;
  /**
   * Whether processes of the version before installations had ids may be part of it. They send packets without an id,
   * under `formerNatsPrefix`.
   */
  mayHaveFormerNodes: boolean;
}

/** How an installation is stored: a single document. */
export interface InstallationDocument {
  _id: 'installation';
  id: string;
  /** The default of PLY_NATS_PREFIX. */
  natsPrefix: string;
  createdAt: number;
}

/** Holds the single document about the installation. */
export const installations = defineCollection<InstallationDocument>({
  name: 'installation',
  owner: 'deployment',
  indexes: [],
});

/** The prefix of all installations before they had ids. */
export const formerNatsPrefix = 'ply';

/** The default prefix of an installation: eight digits of its id tell it from others on the same NATS. */
export function natsPrefixOf(id: string): string {
  return `ply_${id.slice(0, 8)}`;
}

/** Name of the stream of an installation's stage queue. */
export function streamNameOf(natsPrefix: string): string {
  return `${natsPrefix}_stages`;
}

/** Processes of two installations have met under one NATS prefix. */
export class ForeignInstallation extends Error {
  /**
   * @param found what belongs to the other installation
   * @param other its id; null if it is unknown
   */
  constructor(found: string, other: string | null, { id, natsPrefix }: Installation) {
    super(
      `${found} belongs to ${other === null ? 'another installation' : `the installation ${other}`}, and this process to the installation ${id}, under the same NATS prefix ${natsPrefix}. ` +
        'Set PLY_NATS_PREFIX of one of them to a prefix of its own, in all of its processes. A copy of the records has the id of the original until "ply installation renew" gives it another.',
    );
    this.name = 'ForeignInstallation';
  }
}
