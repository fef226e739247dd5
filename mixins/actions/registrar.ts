import type { LibraryHealth } from '../../models/analytics.ts';
import type { Accepted, AssetView, ImportResult, JobView, PlaybackLink } from '../../models/api.ts';
import type { AclMode, Metadata } from '../../models/asset.ts';
import type {
  CollectionView,
  CreatedCollectionView,
  ReadableCollectionsView,
} from '../../models/library-collection.ts';
import type { SyncAnswer } from '../../models/sync.ts';
import type { StoredTranscript } from '../../models/transcript.ts';
import { anyText, caller, importItems, syncBatch } from '../../models/schemas/internal.ts';
import { aclMode, assetCreate, principals, sourceAccess } from '../../models/schemas/assets.ts';
import { activityQuery, asReader, assetPage, collectionPage } from '../../models/schemas/library.ts';
import { assetMetadata } from '../../models/schemas/metadata.ts';
import { collectionChange, pathName } from '../../models/schemas/collections.ts';
import { libraryHealthQuery } from '../../models/schemas/analytics.ts';
import { ifMatch, segmentEdits } from '../../models/schemas/transcripts.ts';
import { list, object, optional, required, withDefault } from '../../models/schemas/schema.ts';
import { boolean, text, uuid } from '../../models/schemas/values.ts';
import { action, type } from './action.ts';

/** Fixed by the client's Idempotency-Key, where it sent one: what the action writes has ids made of it. */
const idempotencyId = optional(anyText);

/** Actions of the registrar: assets, jobs, imports, collections and transcripts. */
export const registrarActions = {
  register: action({
    params: { caller: required(caller), asset: required(assetCreate), idempotencyId },
    result: type<Accepted>(),
    repeatable: false,
  }),
  listAssets: action({
    params: { caller: required(caller), ...assetPage },
    result: type<{ items: AssetView[]; total: number; limit: number; offset: number }>(),
    repeatable: true,
  }),
  readAsset: action({
    params: { caller: required(caller), assetId: required(uuid), ...asReader },
    result: type<AssetView>(),
    repeatable: true,
  }),
  playback: action({
    params: { caller: required(caller), assetId: required(uuid), ...asReader },
    result: type<PlaybackLink>(),
    repeatable: true,
  }),
  removeAsset: action({
    params: { caller: required(caller), assetId: required(uuid) },
    result: type<Accepted>(),
    repeatable: false,
  }),
  reindex: action({
    params: { caller: required(caller), assetId: required(uuid), idempotencyId },
    result: type<Accepted>(),
    repeatable: false,
  }),
  import: action({
    params: { caller: required(caller), items: required(importItems), idempotencyId },
    result: type<{ importId: string; results: ImportResult[] }>(),
    repeatable: false,
  }),
  readImport: action({
    params: { caller: required(caller), importId: required(uuid) },
    result: type<{
      importId: string;
      items: { jobId: string; assetId: string; state: string; progress: number; errorCode: string | null }[];
    }>(),
    repeatable: true,
  }),
  readJob: action({
    params: { caller: required(caller), jobId: required(uuid) },
    result: type<JobView>(),
    repeatable: true,
  }),
  listJobs: action({
    params: { caller: required(caller), assetId: required(uuid) },
    result: type<{ items: JobView[] }>(),
    repeatable: true,
  }),
  cancelJob: action({
    params: { caller: required(caller), jobId: required(uuid) },
    result: type<{ jobId: string; state: 'cancelled' }>(),
    repeatable: false,
  }),
  activity: action({
    params: { caller: required(caller), query: required(object(activityQuery)) },
    result: type<{ items: AssetView[]; nextCursor?: string | null }>(),
    repeatable: true,
  }),
  giveSourceAccess: action({
    params: { caller: required(caller), assetId: required(uuid), access: required(sourceAccess) },
    result: type<{ assetId: string; resumedJobs: string[] }>(),
    repeatable: false,
  }),
  readMetadata: action({
    params: { caller: required(caller), assetId: required(uuid) },
    result: type<{ assetId: string; metadata: Metadata }>(),
    repeatable: true,
  }),
  writeMetadata: action({
    params: { caller: required(caller), assetId: required(uuid), metadata: required(assetMetadata) },
    result: type<{ assetId: string; metadata: Metadata }>(),
    repeatable: false,
  }),
  readPermissions: action({
    params: { caller: required(caller), assetId: required(uuid) },
    result: type<{ assetId: string; mode: AclMode; principals: string[] }>(),
    repeatable: true,
  }),
  writePermissions: action({
    params: {
      caller: required(caller),
      assetId: required(uuid),
      mode: required(aclMode),
      principals: required(principals(5000)),
    },
    result: type<{ assetId: string; mode: AclMode; principals: string[] }>(),
    repeatable: false,
  }),
  readTranscript: action({
    // A gateway of the first version sends no reader: it is shown what everybody may see.
    params: { caller: required(caller), assetId: required(uuid), ...asReader, asReader: withDefault(boolean, true) },
    result: type<StoredTranscript>(),
    repeatable: true,
  }),
  correctTranscript: action({
    params: {
      caller: required(caller),
      assetId: required(uuid),
      revision: required(ifMatch),
      edits: required(segmentEdits),
      idempotencyId,
    },
    result: type<Accepted>(),
    repeatable: false,
  }),
  createCollection: action({
    params: { caller: required(caller), name: required(text(1, 512)), documents: required(list(uuid, 1000, 1)) },
    result: type<CreatedCollectionView>(),
    repeatable: false,
  }),
  listCollections: action({
    params: { caller: required(caller), ...collectionPage },
    result: type<{ items: CollectionView[] }>(),
    repeatable: true,
  }),
  readableCollections: action({
    params: { caller: required(caller), ...collectionPage, principals: withDefault(principals(1000), null) },
    result: type<ReadableCollectionsView>(),
    repeatable: true,
  }),
  writeCollection: action({
    params: { caller: required(caller), externalId: required(pathName(512)), change: required(collectionChange) },
    result: type<CollectionView>(),
    repeatable: false,
  }),
  changeCollectionAssets: action({
    params: {
      caller: required(caller),
      externalId: required(pathName(512)),
      add: required(list(uuid, 1000)),
      remove: required(list(uuid, 1000)),
    },
    result: type<{ externalId: string; assetCount: number }>(),
    repeatable: false,
  }),
  removeCollection: action({
    params: { caller: required(caller), externalId: required(pathName(512)) },
    result: type<null>(),
    repeatable: false,
  }),
  libraryHealth: action({
    params: { caller: required(caller), ...libraryHealthQuery },
    result: type<LibraryHealth>(),
    repeatable: true,
  }),
  applySync: action({ params: syncBatch, result: type<SyncAnswer>(), repeatable: true }),
  capabilities: action({
    params: {},
    result: type<{
      formats: { kind: string; extensions: string[]; describes: string }[];
      maxFileBytes: number;
      maxDocumentBytes: number;
      maxAudioSeconds: number;
    }>(),
    repeatable: true,
  }),
};
