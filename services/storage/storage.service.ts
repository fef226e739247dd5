import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { actionsOf } from '../../mixins/actions/actions-of.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { broadcastEvent, emitEvent } from '../../mixins/events.ts';
import { Background } from '../../mixins/work/background.ts';
import { Together } from '../../mixins/work/together.ts';
import type { StagesMetadata } from '../../mixins/work/worker.ts';
import type { Region } from '../../models/region.ts';
import type { StoredObject } from '../../models/storage-object.ts';
import { changeStorageAccount, createStorageAccount, readStorageAccount } from './account/account.ts';
import { accountUpkeep } from './account/upkeep.ts';
import { listAuditLog } from './audit-log.ts';
import {
  changeBucket,
  changeBucketTags,
  changeContainerMetadata,
  removeBucket,
  restoreBucket,
  retryBucket,
} from './buckets/change.ts';
import { createBucket } from './buckets/create.ts';
import { checkBucketName, listBuckets, listRegions, readBucket } from './buckets/read.ts';
import { bucketSlots, bucketWorkers } from './buckets/work.ts';
import { listCredentials, revokeCredential } from './credentials/change.ts';
import { createCredential, rotateCredential } from './credentials/create.ts';
import { admitObject, changeDetails, changeTags, storeObject } from './doors/objects.ts';
import { stageBlocks } from './doors/blocks.ts';
import { removeKey, removeKeys } from './doors/remove.ts';
import { abortParts, completeParts, recordPart, startParts } from './doors/parts.ts';
import { readSigningProfile, rotateSigningKey } from './links/signing-key.ts';
import { sign } from './links/sign.ts';
import { bucketContent } from './objects/bucket-content.ts';
import { changeObject, removeObject } from './objects/change.ts';
import { listObjects, readObject } from './objects/read.ts';
import { addDomain } from './domains/add.ts';
import { openAuthority } from './domains/authority.ts';
import { checkDomain, removeDomain } from './domains/change.ts';
import { openDns } from './domains/dns.ts';
import { listDomains, readDomain } from './domains/read.ts';
import { domainSlots, domainWorkers } from './domains/work.ts';
import { settleObjects } from './objects/settle.ts';
import { objectUpkeep } from './objects/upkeep.ts';
import { checksumSlots, checksumWorker } from './objects/verify.ts';
import { edgeKeeping } from './edges/keeper.ts';
import { createPurge } from './purges/create.ts';
import { listPurges, readPurge } from './purges/read.ts';
import { suspendBucket, takeDownObject } from './takedown.ts';
import type { Storage } from './tools.ts';
import { changeLibrary, createLibrary, listLibraries, readLibrary, removeLibrary } from './libraries/libraries.ts';
import { measureIntake } from './usage/daily.ts';
import { completeUpload } from './uploads/complete.ts';
import { abortUpload, readUpload } from './uploads/end.ts';
import { addUploadListener } from './uploads/listener.ts';
import { renewUpload, startUpload } from './uploads/start.ts';
import { createVideo } from './videos/create.ts';
import { changeVideo, listVideos, readVideo } from './videos/read.ts';
import { removeFormerEncodings, removeVideoSource, writeVideoFiles } from './videos/files.ts';
import { reencodeVideo } from './videos/reencode.ts';
import { removeVideo } from './videos/remove.ts';
import { takeDownVideo } from './videos/takedown.ts';
import { videoRemover, videoSlots } from './videos/work.ts';

/** Writes of the doors of which what follows is under way at once. */
const maxFollowUps = 64;
/** How long what follows from a write waits for that of others, in milliseconds. */
const followUpWaitMs = 10;

/** The actor of buckets and their objects. */
export function storageService(app: AppContext, broker: ServiceBroker, regions: readonly Region[]): ServiceSchema {
  const background = new Background(maxFollowUps);
  const settling = new Together<StoredObject>((written) => settleObjects(storage, written), {
    most: maxFollowUps / 2,
    waitMs: followUpWaitMs,
  });
  const storage: Storage = {
    app,
    later: { background, settling },
    actions: broker,
    regions,
    wakeUp: (organizationId, stages) => emitEvent(broker, 'runs.changed', { organizationId, stages }),
  };
  const changed = <V extends { id: string }>(credential: V): V => {
    broadcastEvent(broker, 'credentials.changed', { credentialId: credential.id });
    return credential;
  };
  const domainTools = { storage, dns: openDns(app.configuration), authority: openAuthority(app) };
  for (const intake of bucketWorkers(app, storage, bucketContent(storage))) app.lifecycle.add(intake);
  for (const intake of domainWorkers(app, domainTools)) app.lifecycle.add(intake);
  app.lifecycle.add(checksumWorker(app, storage));
  app.lifecycle.add(videoRemover(app, storage));
  for (const intake of objectUpkeep(storage)) app.lifecycle.add(intake);
  app.lifecycle.add(measureIntake(app));
  for (const intake of accountUpkeep(storage, domainTools.dns)) app.lifecycle.add(intake);
  app.lifecycle.add({
    name: 'what follows from writes',
    start: () => Promise.resolve(),
    stop: () => background.idle(),
  });
  const keeping = edgeKeeping(app);
  app.lifecycle.add(keeping);
  addUploadListener(app);
  const metadata: StagesMetadata = { stages: { ...bucketSlots, ...domainSlots, ...checksumSlots, ...videoSlots } };
  return {
    name: 'storage',
    metadata,
    actions: actionsOf('storage', {
      listRegions: () => listRegions(storage),
      createBucket: ({ caller, id, bucket }) => createBucket(storage, caller, id, bucket),
      listBuckets: ({ caller }) => listBuckets(storage, caller),
      readBucket: ({ caller, bucketId }) => readBucket(storage, caller, bucketId),
      changeBucket: ({ caller, bucketId, change }) => changeBucket(storage, caller, bucketId, change),
      changeContainerMetadata: ({ caller, bucketId, metadata }) =>
        changeContainerMetadata(storage, caller, bucketId, metadata),
      changeBucketTags: ({ caller, bucketId, tags }) => changeBucketTags(storage, caller, bucketId, tags),
      removeBucket: ({ caller, bucketId }) => removeBucket(storage, caller, bucketId),
      restoreBucket: ({ caller, bucketId }) => restoreBucket(storage, caller, bucketId),
      retryBucket: ({ caller, bucketId }) => retryBucket(storage, caller, bucketId),
      readSigningProfile: ({ caller, bucketId }) => readSigningProfile(storage, caller, bucketId),
      rotateSigningKey: ({ caller, bucketId }) => rotateSigningKey(storage, caller, bucketId),
      sign: ({ caller, request }) => sign(storage, caller, request),
      listObjects: ({ caller, bucketId, ...query }) => listObjects(storage, caller, bucketId, query),
      readObject: ({ caller, objectId }) => readObject(storage, caller, objectId),
      changeObject: ({ caller, objectId, change }) => changeObject(storage, caller, objectId, change),
      removeObject: ({ caller, objectId }) => removeObject(storage, caller, objectId),
      startUpload: ({ caller, bucketId, upload }) => startUpload(storage, caller, bucketId, upload),
      readUpload: ({ caller, uploadId }) => readUpload(storage, caller, uploadId),
      abortUpload: ({ caller, uploadId }) => abortUpload(storage, caller, uploadId),
      renewUpload: ({ caller, uploadId }) => renewUpload(storage, caller, uploadId),
      completeUpload: ({ caller, uploadId }) => completeUpload(storage, caller, uploadId),
      createLibrary: ({ caller, id, library }) => createLibrary(storage, caller, id, library),
      listLibraries: ({ caller }) => listLibraries(storage, caller),
      readLibrary: ({ caller, libraryId }) => readLibrary(storage, caller, libraryId),
      changeLibrary: ({ caller, libraryId, change }) => changeLibrary(storage, caller, libraryId, change),
      removeLibrary: ({ caller, libraryId }) => removeLibrary(storage, caller, libraryId),
      createVideo: ({ caller, id, libraryId, video }) => createVideo(storage, caller, id, libraryId, video),
      listVideos: ({ caller, libraryId, ...query }) => listVideos(storage, caller, libraryId, query),
      readVideo: ({ caller, videoId }) => readVideo(storage, caller, videoId),
      changeVideo: ({ caller, videoId, change }) => changeVideo(storage, caller, videoId, change),
      reencodeVideo: ({ caller, videoId }) => reencodeVideo(storage, caller, videoId),
      writeVideoFiles: (given) => writeVideoFiles(storage, given),
      removeVideoSource: (given) => removeVideoSource(storage, given),
      removeFormerEncodings: (given) => removeFormerEncodings(storage, given),
      removeVideo: ({ caller, videoId }) => removeVideo(storage, caller, videoId),
      listAuditLog: ({ caller, ...query }) => listAuditLog(storage, caller, query),
      checkBucketName: ({ caller, name }) => checkBucketName(storage, caller, name),
      addDomain: ({ caller, id, domain }) => addDomain(storage, caller, id, domain),
      listDomains: ({ caller, ...page }) => listDomains(storage, caller, page),
      readDomain: ({ caller, domainId }) => readDomain(storage, caller, domainId),
      removeDomain: ({ caller, domainId }) => removeDomain(storage, caller, domainId),
      checkDomain: ({ caller, domainId }) => checkDomain(storage, caller, domainId),
      createPurge: async ({ caller, bucketId, purge }) => {
        const created = await createPurge(storage, caller, bucketId, purge);
        keeping.wakeUp();
        return created;
      },
      createStorageAccount: ({ caller, account }) => createStorageAccount(storage, caller, account),
      readStorageAccount: ({ caller }) => readStorageAccount(storage, caller),
      changeStorageAccount: ({ caller, change }) => changeStorageAccount(storage, caller, change),
      suspendBucket: ({ bucketId, isSuspended }) => suspendBucket(storage, bucketId, isSuspended),
      takeDownVideo: ({ videoId, isDown }) => takeDownVideo(storage, videoId, isDown),
      takeDownObject: ({ objectId, isDown }) => takeDownObject(storage, objectId, isDown),
      listPurges: ({ caller, ...page }) => listPurges(storage, caller, page),
      readPurge: ({ caller, purgeId }) => readPurge(storage, caller, purgeId),
      admitObject: async (object) => {
        await admitObject(storage, object);
        return null;
      },
      storeObject: ({ object, seen }) => storeObject(storage, object, seen),
      changeDetails: (change) => changeDetails(storage, change),
      changeTags: (change) => changeTags(storage, change),
      removeKey: (removal) => removeKey(storage, removal),
      removeKeys: (removals) => removeKeys(storage, removals),
      stageBlocks: (blob) => stageBlocks(storage, blob),
      startParts: (parts) => startParts(storage, parts),
      recordPart: (part) => recordPart(storage, part),
      completeParts: (completion) => completeParts(storage, completion),
      abortParts: (upload) => abortParts(storage, upload),
      listCredentials: ({ caller }) => listCredentials(storage, caller),
      createCredential: async ({ caller, credential }) => changed(await createCredential(storage, caller, credential)),
      rotateCredential: async ({ caller, credentialId }) =>
        changed(await rotateCredential(storage, caller, credentialId)),
      revokeCredential: async ({ caller, credentialId }) =>
        changed(await revokeCredential(storage, caller, credentialId)),
    }),
    events: { 'edges.acknowledged': { handler: () => keeping.wakeUp() } },
  };
}
