import { isDuplicate, type Collection } from '../../adapters/records/port.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { indexing } from '../../mixins/indexing/kind.ts';
import type { RecordUsage } from '../../mixins/indexing/outbox.ts';
import { drainOutbox } from '../../mixins/work/outbox.ts';
import { assets as assetsDefinition, type Asset, type Kind } from '../../models/asset.ts';
import { Refusal } from '../../models/errors.ts';
import { imports as importsDefinition, type ImportRecord } from '../../models/import.ts';
import { archivedRuns, type ArchivedRun } from '../../models/job.ts';
import {
  collectionMembers,
  libraryCollections,
  type CollectionMember,
  type LibraryCollection,
} from '../../models/library-collection.ts';
import { registeredVersions, type RegisteredVersion } from '../../models/registered-version.ts';
import { scopeOf } from '../../models/scope.ts';
import { AssetCeiling } from './asset-ceiling.ts';
import { recordVersions } from './registered-versions.ts';

/** The collections of one organization that the registrar owns. */
export interface OrganizationRecords {
  assets: Collection<Asset>;
  archive: Collection<ArchivedRun>;
  imports: Collection<ImportRecord>;
  versions: Collection<RegisteredVersion>;
}

/** What the registrar's operations share: the app, and how to notify other actors. */
export class Registrar {
  readonly app: AppContext;
  private readonly recordUsage: RecordUsage;
  private readonly notifyScheduler: (organizationId: string) => void;
  /** Why files of a kind cannot be indexed at present; null if they can. */
  readonly absenceOf: (kind: Kind) => string | null;
  /** The ceiling of an account's assets. */
  readonly ceiling: AssetCeiling;

  constructor(
    app: AppContext,
    recordUsage: RecordUsage,
    notifyScheduler: (organizationId: string) => void,
    absenceOf: (kind: Kind) => string | null = () => null,
  ) {
    this.app = app;
    this.recordUsage = recordUsage;
    this.notifyScheduler = notifyScheduler;
    this.absenceOf = absenceOf;
    this.ceiling = new AssetCeiling(app, () => performance.now());
  }

  /** An organization's collections. */
  of(organizationId: string): OrganizationRecords {
    const scope = scopeOf(organizationId);
    const { records } = this.app;
    return {
      get assets() {
        return records.collection(assetsDefinition, scope);
      },
      get archive() {
        return records.collection(archivedRuns, scope);
      },
      get imports() {
        return records.collection(importsDefinition, scope);
      },
      get versions() {
        return records.collection(registeredVersions, scope);
      },
    };
  }

  /** Notifies the scheduler that runs of the organization changed. */
  changed(organizationId: string): void {
    this.notifyScheduler(organizationId);
  }

  /** An organization's collections of files, and their members. */
  groups(organizationId: string): {
    collections: Collection<LibraryCollection>;
    members: Collection<CollectionMember>;
  } {
    const scope = scopeOf(organizationId);
    const { records } = this.app;
    return {
      collections: records.collection(libraryCollections, scope),
      members: records.collection(collectionMembers, scope),
    };
  }

  /** Inserts an asset; false if its id or its externalId is in use. */
  async insert(assets: Collection<Asset>, asset: Asset): Promise<boolean> {
    try {
      await assets.insert(asset);
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  /**
   * Replaces an asset's document, conditional on its version: answers the new document, or null after a concurrent
   * write. Where the source version changes, the former one is recorded first.
   */
  async replace(assets: Collection<Asset>, read: Asset, next: Asset): Promise<Asset | null> {
    const { _id: id, organizationId: _owner, version, outboxDue: _outboxDue, ...fields } = next;
    const set = {
      ...fields,
      ...(next.sourceVersion === read.sourceVersion
        ? {}
        : {
            registeredVersions: await recordVersions(this.of(read.organizationId).versions, read, next.sourceVersion),
          }),
      ...(next.outbox.length > 0 ? { outboxDue: Math.min(...next.outbox.map((entry) => entry.notBefore)) } : {}),
    };
    const absent = ['externalKey', 'outboxDue'].filter((field) => !Object.hasOwn(set, field));
    return assets.update(
      id,
      { version: read.version },
      { set: { ...set, version: version + 1 }, ...(absent.length > 0 ? { unset: absent } : {}) },
    );
  }

  /**
   * Reads an asset and writes what `change` returns for it; repeated until no other write came in between.
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

  /** Delivers the due entries of the asset's outbox. @throws when a store is unavailable; the sweeper retries later */
  async drain(asset: Asset): Promise<void> {
    if (asset.outbox.length > 0)
      await drainOutbox(this.app, indexing(this.app, this.recordUsage), this.of(asset.organizationId).assets, asset);
  }

  /** The same without throwing: failures are logged, and the sweeper retries later. */
  async drainSoon(asset: Asset): Promise<void> {
    try {
      await this.drain(asset);
    } catch (error) {
      this.app.log.warn({ err: error, assetId: asset._id }, 'draining the outbox failed, the sweeper will retry');
    }
  }
}
