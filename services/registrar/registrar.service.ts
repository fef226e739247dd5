import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { call } from '../../mixins/actions/call.ts';
import { actionsOf } from '../../mixins/actions/actions-of.ts';
import { emitEvent } from '../../mixins/events.ts';
import { absenceOf, type Features } from '../../mixins/features.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import type { Kind } from '../../models/asset.ts';
import { capabilities } from '../../models/formats.ts';
import { readMetadata, readPermissions, writeMetadata, writePermissions } from './attributes.ts';
import { changeCollectionAssets, createCollection } from './collection-members.ts';
import { collectionUpkeep } from './collection-upkeep.ts';
import { listCollections, removeCollection, writeCollection } from './collections.ts';
import { erasureIntake } from './erasure/intake.ts';
import { importAssets, readImport } from './import.ts';
import { cancelJob, listJobs, readJob, reindex } from './jobs.ts';
import { libraryHealth, StateCounts } from './library-health.ts';
import { activity, listAssets, readAsset } from './lists.ts';
import { indexRecoveryIntake } from './index-recovery/intake.ts';
import { playback } from './playback.ts';
import { reembedIntake } from './reembed.ts';
import { readableCollections } from './readable-collections.ts';
import { register, registrationIds } from './register.ts';
import { Registrar } from './registrar.ts';
import { retentionIntakes } from './retention.ts';
import { removeAsset } from './remove.ts';
import { giveSourceAccess } from './source-access.ts';
import { applySync } from './apply-sync.ts';
import { correctTranscript, readTranscript } from './transcript.ts';
import { repairStaleRevision, removalIntake } from './upkeep.ts';

/** The actor that stores assets and their jobs: it registers, lists, changes, cancels and removes them. */
export function registrarService(app: AppContext, broker: ServiceBroker): ServiceSchema {
  // Recordings need the extractor's media tools and the transcriber's speech model.
  const absence = (kind: Kind): string | null =>
    kind === 'document' ? null : (absenceOf(broker, 'media') ?? absenceOf(broker, 'speech'));
  const registrar = new Registrar(
    app,
    (events) => call(broker, 'ledger.record', { events }),
    (organizationId) => emitEvent(broker, 'runs.changed', { organizationId }),
    absence,
  );
  const stateCounts = new StateCounts(() => performance.now());
  app.lifecycle.add(removalIntake(registrar));
  app.lifecycle.add(reembedIntake(registrar));
  const features: Features = {};
  app.lifecycle.add(indexRecoveryIntake(registrar, features));
  app.lifecycle.add(collectionUpkeep(registrar));
  app.lifecycle.add(erasureIntake(registrar));
  for (const intake of retentionIntakes(app)) app.lifecycle.add(intake);
  const {
    PLY_MAX_FILE_BYTES: maxFileBytes,
    PLY_MAX_DOCUMENT_BYTES: maxDocumentBytes,
    PLY_MAX_AUDIO_SECONDS: maxAudioSeconds,
  } = app.configuration;
  return {
    name: 'registrar',
    metadata: { features },
    actions: actionsOf('registrar', {
      register: ({ caller, asset, idempotencyId }) =>
        register(registrar, caller, asset, registrationIds(registrar, idempotencyId)),
      import: ({ caller, items, idempotencyId }) => importAssets(registrar, caller, items, idempotencyId),
      readImport: ({ caller, importId }) => readImport(registrar, caller, importId),
      listAssets: ({ caller, limit, offset }) => listAssets(registrar, caller, limit, offset),
      readAsset: ({ caller, assetId, asReader, principals }) =>
        readAsset(registrar, caller, assetId, asReader, principals),
      playback: ({ caller, assetId, asReader, principals }) =>
        playback(registrar, broker, caller, assetId, asReader, principals),
      removeAsset: ({ caller, assetId }) => removeAsset(registrar, caller, assetId),
      reindex: ({ caller, assetId, idempotencyId }) =>
        reindex(registrar, caller, assetId, registrationIds(registrar, idempotencyId).jobId),
      readJob: ({ caller, jobId }) => readJob(registrar, caller, jobId),
      listJobs: ({ caller, assetId }) => listJobs(registrar, caller, assetId),
      cancelJob: ({ caller, jobId }) => cancelJob(registrar, caller, jobId),
      activity: ({ caller, query }) => activity(registrar, caller, query),
      giveSourceAccess: ({ caller, assetId, access }) => giveSourceAccess(registrar, caller, assetId, access),
      readMetadata: ({ caller, assetId }) => readMetadata(registrar, caller, assetId),
      writeMetadata: ({ caller, assetId, metadata }) => writeMetadata(registrar, caller, assetId, metadata),
      readPermissions: ({ caller, assetId }) => readPermissions(registrar, caller, assetId),
      writePermissions: ({ caller, assetId, mode, principals }) =>
        writePermissions(registrar, caller, assetId, mode, principals),
      readTranscript: ({ caller, assetId, asReader, principals }) =>
        readTranscript(registrar, caller, assetId, asReader, principals),
      correctTranscript: ({ caller, assetId, revision, edits, idempotencyId }) =>
        correctTranscript(registrar, caller, assetId, {
          revision,
          edits,
          jobId: registrationIds(registrar, idempotencyId).jobId,
        }),
      createCollection: ({ caller, name, documents }) => createCollection(registrar, caller, name, documents),
      listCollections: ({ caller, limit, offset }) => listCollections(registrar, caller, limit, offset),
      readableCollections: ({ caller, ...asked }) => readableCollections(registrar, caller, asked),
      writeCollection: ({ caller, externalId, change }) => writeCollection(registrar, caller, externalId, change),
      changeCollectionAssets: ({ caller, externalId, add, remove }) =>
        changeCollectionAssets(registrar, caller, externalId, add, remove),
      removeCollection: ({ caller, externalId }) => removeCollection(registrar, caller, externalId),
      applySync: (batch) => applySync(registrar, batch),
      libraryHealth: ({ caller, limit }) => libraryHealth(registrar, stateCounts, caller, limit),
      capabilities: () => ({
        formats: capabilities.filter(({ kind }) => absence(kind) === null),
        maxFileBytes,
        maxDocumentBytes,
        maxAudioSeconds,
      }),
    }),
    events: {
      'index.stale': {
        handler: (ctx: { params: { organizationId: string; assetId: string; revision: number } }) =>
          repairStaleRevision(registrar, ctx.params),
      },
    },
  };
}
