import type { Collection } from '../../adapters/records/port.ts';
import type { House } from '../../mixins/house.ts';
import { drainOutbox, type RecordUsage } from '../../mixins/runs/outbox.ts';
import { assets as assetsDefinition, type Asset, type Kind } from '../../models/asset.ts';
import { Refusal } from '../../models/errors.ts';
import { imports as importsDefinition, type ImportRecord } from '../../models/import.ts';
import { archivedRuns, type ArchivedRun } from '../../models/job.ts';
import { collectionMembers, libraryCollections, type CollectionMember, type LibraryCollection } from '../../models/library-collection.ts';
import { scopeOf } from '../../models/scope.ts';

/** The collections of one organization that the registrar keeps. */
export interface OrganizationRecords {
  assets: Collection<Asset>;
  archive: Collection<ArchivedRun>;
  imports: Collection<ImportRecord>;
}

/** What the registrar's operations share: the stores, and whom to tell. */
export class Registrar {
  readonly house: House;
  private readonly recordUsage: RecordUsage;
  private readonly tell: (organizationId: string) => void;
  /** Why files of a kind cannot be indexed at present; null where they can. */
  readonly absenceOf: (kind: Kind) => string | null;

  constructor(house: House, recordUsage: RecordUsage, tell: (organizationId: string) => void, absenceOf: (kind: Kind) => string | null = () => null) {
    this.house = house;
    this.recordUsage = recordUsage;
    this.tell = tell;
    this.absenceOf = absenceOf;
  }

  /** An organization's collections. */
  of(organizationId: string): OrganizationRecords {
    const scope = scopeOf(organizationId);
    const { records } = this.house;
    return { assets: records.collection(assetsDefinition, scope), archive: records.collection(archivedRuns, scope), imports: records.collection(importsDefinition, scope) };
  }

  /** The scheduler should know that runs of the organization changed. */
  changed(organizationId: string): void {
    this.tell(organizationId);
  }

  /** An organization's collections of files, and who belongs to them. */
  groups(organizationId: string): { collections: Collection<LibraryCollection>; members: Collection<CollectionMember> } {
    const scope = scopeOf(organizationId);
    const { records } = this.house;
    return { collections: records.collection(libraryCollections, scope), members: records.collection(collectionMembers, scope) };
  }

  /** Inserts an asset; false where its id or its externalId is taken. */
  async insert(assets: Collection<Asset>, asset: Asset): Promise<boolean> {
    try {
      await assets.insert(asset);
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'DuplicateRecord') return false;
      throw error;
    }
  }

  /** Writes a whole new state of an asset, if the document is still as it was read: answers it, or null. */
  replace(assets: Collection<Asset>, read: Asset, next: Asset): Promise<Asset | null> {
    const { _id: id, organizationId: _owner, version, outboxDue: _outboxDue, ...fields } = next;
    const set = { ...fields, ...(next.outbox.length > 0 ? { outboxDue: Math.min(...next.outbox.map((entry) => entry.notBefore)) } : {}) };
    const absent = ['externalKey', 'outboxDue'].filter((field) => !Object.hasOwn(set, field));
    return assets.update(id, { version: read.version }, { set: { ...set, version: version + 1 }, ...(absent.length > 0 ? { unset: absent } : {}) });
  }

  /**
   * Reads an asset and writes what `change` makes of it, again and again until nobody wrote in between.
   * @throws Refusal asset_not_found, or what `change` throws
   */
  async modify(organizationId: string, assetId: string, change: (asset: Asset) => Asset): Promise<Asset> {
    const { assets } = this.of(organizationId);
    for (;;) {
      const read = await this.present(organizationId, assetId);
      const written = await this.replace(assets, read, change(read));
      if (written !== null) return written;
    }
  }

  /** The asset, unless it is unknown, deleted or another organization's. @throws Refusal asset_not_found */
  async present(organizationId: string, assetId: string): Promise<Asset> {
    const asset = await this.of(organizationId).assets.get(assetId);
    if (asset === null || asset.deletedAt !== null) throw new Refusal('asset_not_found');
    return asset;
  }

  /** Carries out what is due in the asset's outbox. @throws when a store is away; the sweeper does it later */
  async drain(asset: Asset): Promise<void> {
    if (asset.outbox.length > 0) await drainOutbox(this.house, this.of(asset.organizationId).assets, this.recordUsage, asset);
  }

  /** The same where the caller need not know: what fails is logged, and the sweeper does it later. */
  async drainSoon(asset: Asset): Promise<void> {
    try {
      await this.drain(asset);
    } catch (error) {
      this.house.log.warn({ err: error, assetId: asset._id }, 'the outbox waits for the sweeper');
    }
  }
}
