// Generated from the OpenAPI document by `node scripts/make-client.ts`; a test keeps it up to date.
export interface paths {
  '/api/account-audit': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists what was done with keys and sub-organizations, newest first.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    get: operations['readAccountAudit'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/activity': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists assets with their latest job, newest first or by filename.
     * @description Any key.
     */
    get: operations['listActivity'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/analytics/delivery': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Tells what traffic analytics counted, as series by value, bucket or organization.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    get: operations['readTrafficAnalytics'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/analytics/delivery/breakdown': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Tells what traffic analytics counted in a month, by bucket or value, as JSON or as a CSV file.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    get: operations['readTrafficBreakdown'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/analytics/library': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Tells what of the library is under way, failed, empty or gone from its source.
     * @description Any key.
     */
    get: operations['readLibraryHealth'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/analytics/searches': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Tells what was searched, how often, and what found nothing.
     * @description Any key. Needs plan feature `analytics`.
     */
    get: operations['readSearchAnalytics'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/answer': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Answers a question from the best passages that a search finds, with citations.
     * @description Any key. Needs plan feature `answers`.
     */
    post: operations['answer'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/assets': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the assets, newest first.
     * @description Any key.
     */
    get: operations['listAssets'];
    put?: never;
    /**
     * Registers a file by its address; it is read and indexed by a job.
     * @description Any key. A person needs the role `editor`.
     */
    post: operations['registerAsset'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/assets/{assetId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads an asset; with asReader or principals, only if those principals may see it.
     * @description Any key.
     */
    get: operations['readAsset'];
    put?: never;
    post?: never;
    /**
     * Removes an asset and its index; the original file is never touched.
     * @description Any key. A person needs the role `editor`.
     */
    delete: operations['removeAsset'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/assets/{assetId}/jobs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists every run of an asset, newest first.
     * @description Any key.
     */
    get: operations['listAssetJobs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/assets/{assetId}/metadata': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads an asset's metadata.
     * @description Any key.
     */
    get: operations['readMetadata'];
    /**
     * Replaces an asset's whole metadata; nothing is indexed again.
     * @description Any key. A person needs the role `editor`. Needs plan feature `metadata`.
     */
    put: operations['writeMetadata'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/assets/{assetId}/passages': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the passages of a file in its order, with asReader or principals only if those principals may see it.
     * @description Any key.
     */
    get: operations['listPassages'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/assets/{assetId}/permissions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads who may find an asset.
     * @description Any key.
     */
    get: operations['readPermissions'];
    /**
     * Replaces who may find an asset. Restricting needs a plan feature, opening never does.
     * @description Any key. A person needs the role `editor`.
     */
    put: operations['writePermissions'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/assets/{assetId}/playback': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Gives a link that plays a file of a bucket or video library of the organization.
     * @description Any key.
     */
    get: operations['playAsset'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/assets/{assetId}/reindex': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Reads and indexes the registered file again, as a new revision.
     * @description Any key. A person needs the role `editor`.
     */
    post: operations['reindexAsset'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/assets/{assetId}/related': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the files that are most like a file.
     * @description Any key. Needs plan feature `related`.
     */
    get: operations['listRelated'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/assets/{assetId}/source-access': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Gives an address to read the registered file from; jobs that wait for access go on.
     * @description Any key. A person needs the role `editor`.
     */
    put: operations['giveSourceAccess'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/assets/{assetId}/transcript': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads a recording's transcript, with asReader or principals only if those principals may see it; its ETag names the revision.
     * @description Any key.
     */
    get: operations['readTranscript'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Corrects the text of segments; the recording is indexed again with it and not transcribed again.
     * @description Any key. A person needs the role `editor`.
     */
    patch: operations['correctTranscript'];
    trace?: never;
  };
  '/api/content/v1/audit': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists what was done to buckets, objects, domains and the storage account, newest first.
     * @description Any key.
     */
    get: operations['listAuditLog'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/bucket-names': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Says whether a name is available for a bucket. Creation decides.
     * @description Any key.
     */
    get: operations['checkBucketName'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/buckets': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the buckets, oldest first; deleted ones while they can be restored.
     * @description Any key.
     */
    get: operations['listBuckets'];
    put?: never;
    /**
     * Creates a bucket. It becomes active on its own.
     * @description Needs an admin key. A person needs the role `admin`. Needs plan feature `storage`.
     */
    post: operations['createBucket'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/buckets/{bucketId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads a bucket.
     * @description Any key.
     */
    get: operations['readBucket'];
    put?: never;
    post?: never;
    /**
     * Deletes a bucket. It is out of service at once, and can be restored for seven days.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    delete: operations['removeBucket'];
    options?: never;
    head?: never;
    /**
     * Changes settings. Fields that are left out stay; null restores a default where there is one.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    patch: operations['changeBucket'];
    trace?: never;
  };
  '/api/content/v1/buckets/{bucketId}/analytics/preview': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Tries a dimension rule on the last requests of a bucket, or on its file names. It changes nothing.
     * @description Needs an admin key.
     */
    post: operations['previewAnalyticsRule'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/buckets/{bucketId}/objects': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists objects in byte order of their keys, disabled ones too.
     * @description Any key.
     */
    get: operations['listObjects'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/buckets/{bucketId}/purges': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Drops copies of files at all edges: of addresses, of prefixes of keys, or of the whole bucket.
     * @description Any key. A person needs the role `editor`.
     */
    post: operations['createPurge'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/buckets/{bucketId}/restore': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Restores a deleted bucket within its seven days.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    post: operations['restoreBucket'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/buckets/{bucketId}/retry': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Tries to make a failed bucket again.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    post: operations['retryBucket'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/buckets/{bucketId}/signing-key/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Replaces a bucket's signing key: links of the old one stop working.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    post: operations['rotateSigningKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/buckets/{bucketId}/signing-profile': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads what links of a bucket are signed with, for clients that sign links themselves.
     * @description Any key. A person needs the role `editor`.
     */
    get: operations['readSigningProfile'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/buckets/{bucketId}/uploads': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Starts an upload. Each part is sent to its address with PUT, then the upload is completed.
     * @description Any key. A person needs the role `editor`. Needs plan feature `storage`.
     */
    post: operations['startUpload'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/capabilities': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the formats that are indexed, and the limits on files.
     * @description Any key.
     */
    get: operations['readCapabilities'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/collections': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists collections by name; go on while a page is full.
     * @description Any key.
     */
    get: operations['listCollections'];
    put?: never;
    /**
     * Makes a collection of up to 1000 files; its externalId is generated.
     * @description Any key. A person needs the role `editor`. Needs plan feature `collections`.
     */
    post: operations['createCollection'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/collections/{externalId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Makes a collection, or changes its name and metadata.
     * @description Any key. A person needs the role `editor`. Needs plan feature `collections`.
     */
    put: operations['writeCollection'];
    post?: never;
    /**
     * Deletes a collection; its files stay indexed.
     * @description Any key. A person needs the role `editor`.
     */
    delete: operations['removeCollection'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/collections/{externalId}/assets': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Adds up to 1000 files, then removes up to 1000.
     * @description Any key. A person needs the role `editor`. Needs plan feature `collections`.
     */
    put: operations['changeCollectionAssets'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/connectors': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the connectors by name.
     * @description Any key.
     */
    get: operations['listConnectors'];
    put?: never;
    /**
     * Makes a connector to a bucket, a container or a Canvas. Nothing is read before its first sync.
     * @description Any key. A person needs the role `editor`. Needs plan feature `connectors`.
     */
    post: operations['createConnector'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/connectors/{connectorId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads a connector, and how its last sync went.
     * @description Any key.
     */
    get: operations['readConnector'];
    /**
     * Replaces what a connector is. A credential that is left out stays, unless the source is at another address.
     * @description Any key. A person needs the role `editor`. Needs plan feature `connectors`.
     */
    put: operations['replaceConnector'];
    post?: never;
    /**
     * Deletes a connector and retires its notification address; what it indexed stays.
     * @description Any key. A person needs the role `editor`.
     */
    delete: operations['removeConnector'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/connectors/{connectorId}/sync': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Asks for a sync. Requests before it has started are one.
     * @description Any key. A person needs the role `editor`. Needs plan feature `connectors`.
     */
    post: operations['requestSync'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/delivery/analytics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Tells what was delivered, by UTC day, region group and bucket.
     * @description Any key.
     */
    get: operations['readDeliveryAnalytics'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/domains': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the hostnames, oldest first.
     * @description Any key.
     */
    get: operations['listDomains'];
    put?: never;
    /**
     * Adds a hostname to a bucket. Its DNS records are then looked for, for 72 hours.
     * @description Needs an admin key. A person needs the role `admin`. Needs plan feature `storage`.
     */
    post: operations['addDomain'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/domains/{domainId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads a hostname: the records that it needs, and what the last look found.
     * @description Any key.
     */
    get: operations['readDomain'];
    put?: never;
    post?: never;
    /**
     * Deletes a hostname. Edges may serve it for some minutes more.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    delete: operations['removeDomain'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/domains/{domainId}/check': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Looks at the DNS now. A failed or detached hostname begins again, with a new TXT record.
     * @description Any key. A person needs the role `editor`.
     */
    post: operations['checkDomain'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/imports': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Registers up to 100 files; each succeeds or fails alone.
     * @description Any key. A person needs the role `editor`.
     */
    post: operations['importAssets'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/imports/{importId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Tells how the accepted items of an import stand.
     * @description Any key.
     */
    get: operations['readImport'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/jobs/{jobId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads a job.
     * @description Any key.
     */
    get: operations['readJob'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/jobs/{jobId}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Stops a job that is not finished.
     * @description Any key. A person needs the role `editor`.
     */
    post: operations['cancelJob'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/libraries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the video libraries, oldest first; deleted ones while they can be restored.
     * @description Any key.
     */
    get: operations['listLibraries'];
    put?: never;
    /**
     * Creates a video library. It becomes active on its own.
     * @description Needs an admin key. A person needs the role `admin`. Needs plan feature `video`.
     */
    post: operations['createLibrary'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/libraries/{libraryId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads a video library.
     * @description Any key.
     */
    get: operations['readLibrary'];
    put?: never;
    post?: never;
    /**
     * Deletes a video library with its videos. It can be restored, as a bucket, for seven days.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    delete: operations['removeLibrary'];
    options?: never;
    head?: never;
    /**
     * Changes settings of a video library. `processing` applies to videos that are encoded afterwards.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    patch: operations['changeLibrary'];
    trace?: never;
  };
  '/api/content/v1/libraries/{libraryId}/videos': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the videos of a library, newest first.
     * @description Any key.
     */
    get: operations['listVideos'];
    put?: never;
    /**
     * Creates a video with the upload of its source. It is encoded once the upload is completed.
     * @description Any key. A person needs the role `editor`. Needs plan feature `video`.
     */
    post: operations['createVideo'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/notifications/{token}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Takes a storage event: the connector's source has changed, and is synced.
     * @description No key: the address is the credential. The body, up to 256 KB and not compressed, is ignored, unless `aeg-event-type` is `SubscriptionValidation`. A sender address may send 600 a minute.
     */
    post: operations['notifyConnector'];
    delete?: never;
    /**
     * Answers the handshake of CloudEvents 1.0: who asks may send.
     * @description No key: the address is the credential.
     */
    options: operations['consentToNotifications'];
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/objects/{objectId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads an object, without its bytes.
     * @description Any key.
     */
    get: operations['readObject'];
    put?: never;
    post?: never;
    /**
     * Deletes an object. It is delivered nowhere from then on.
     * @description Any key. A person needs the role `editor`.
     */
    delete: operations['removeObject'];
    options?: never;
    head?: never;
    /**
     * Replaces the metadata of an object.
     * @description Any key. A person needs the role `editor`.
     */
    patch: operations['changeObject'];
    trace?: never;
  };
  '/api/content/v1/plan': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Tells which plan is applied to the account, its features and its ceilings.
     * @description Any key.
     */
    get: operations['readPlan'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/purges': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists purges, newest first.
     * @description Any key.
     */
    get: operations['listPurges'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/purges/{purgeId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads a purge: it has succeeded when every edge has dropped its copies.
     * @description Any key.
     */
    get: operations['readPurge'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/regions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the regions that are open for new buckets.
     * @description Any key.
     */
    get: operations['listRegions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/search': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Finds passages by meaning and by words.
     * @description Any key.
     */
    post: operations['search'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/settings': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads what holds for the organization, and where each value comes from.
     * @description Any key.
     */
    get: operations['readSettings'];
    /**
     * Replaces the settings of the organization; what is left out is inherited, but the callback secret stays.
     * @description Any key. A person needs the role `editor`.
     */
    put: operations['replaceSettings'];
    post?: never;
    /**
     * Drops the settings of the organization, so that it inherits all again.
     * @description Any key. A person needs the role `editor`.
     */
    delete: operations['dropSettings'];
    options?: never;
    head?: never;
    /**
     * Changes the settings that are sent; null returns one to what is inherited.
     * @description Any key. A person needs the role `editor`.
     */
    patch: operations['changeSettings'];
    trace?: never;
  };
  '/api/content/v1/sign': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Makes the address of a file, signed unless the bucket is public, or the addresses that a video is played with.
     * @description Any key.
     */
    post: operations['sign'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/statements': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the statements of closed months, the newest first.
     * @description Any key.
     */
    get: operations['listStatements'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/statements/{month}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads the statement of a closed month, as it was closed.
     * @description Any key.
     */
    get: operations['readStatement'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/statements/{month}/export': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads the statement of a closed month as a CSV file.
     * @description Any key.
     */
    get: operations['exportStatement'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/storage-account': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads the storage account.
     * @description Any key.
     */
    get: operations['readStorageAccount'];
    put?: never;
    /**
     * Creates the storage account. Its name never changes.
     * @description Needs an admin key. A person needs the role `admin`. Needs plan feature `storage`.
     */
    post: operations['createStorageAccount'];
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Changes the home region. Without a field nothing changes.
     * @description Needs an admin key. A person needs the role `admin`. Needs plan feature `storage`.
     */
    patch: operations['changeStorageAccount'];
    trace?: never;
  };
  '/api/content/v1/storage-credentials': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the credentials in any state, newest first.
     * @description Needs a session of the dashboard. A person needs the role `admin`.
     */
    get: operations['listStorageCredentials'];
    put?: never;
    /**
     * Makes a credential for S3 or Blob clients. The answer shows its secret, once.
     * @description Needs a session of the dashboard. A person needs the role `admin`. Needs plan feature `storage`.
     */
    post: operations['createStorageCredential'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/storage-credentials/{credentialId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Revokes a credential. It is refused everywhere within 30 seconds.
     * @description Needs a session of the dashboard. A person needs the role `admin`.
     */
    delete: operations['revokeStorageCredential'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/storage-credentials/{credentialId}/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Makes another credential like this one, which goes on working until it is revoked.
     * @description Needs a session of the dashboard. A person needs the role `admin`. Needs plan feature `storage`.
     */
    post: operations['rotateStorageCredential'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/suggest': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Completes a query from those that others searched with success.
     * @description Any key. Needs plan feature `suggestions`.
     */
    get: operations['suggestQueries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/tuning/boosts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the boosts by name.
     * @description Any key.
     */
    get: operations['readBoosts'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/tuning/boosts/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Makes or replaces a boost.
     * @description Any key. A person needs the role `editor`. Needs plan feature `tuning`.
     */
    put: operations['writeBoost'];
    post?: never;
    /**
     * Removes a boost; one that is not there is removed already.
     * @description Any key. A person needs the role `editor`. Needs plan feature `tuning`.
     */
    delete: operations['removeBoost'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/tuning/pins': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the pins by query.
     * @description Any key.
     */
    get: operations['readPins'];
    /**
     * Pins up to ten files to a query, in order; an empty list removes the pin.
     * @description Any key. A person needs the role `editor`. Needs plan feature `tuning`.
     */
    put: operations['writePin'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/tuning/synonyms': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads the dictionary of synonyms.
     * @description Any key.
     */
    get: operations['readSynonyms'];
    /**
     * Replaces the whole dictionary of synonyms.
     * @description Any key. A person needs the role `editor`. Needs plan feature `tuning`.
     */
    put: operations['writeSynonyms'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/uploads/{uploadId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads an upload, with the parts that have arrived.
     * @description Any key.
     */
    get: operations['readUpload'];
    put?: never;
    post?: never;
    /**
     * Aborts an upload. One that has ended is answered as it is.
     * @description Any key. A person needs the role `editor`.
     */
    delete: operations['abortUpload'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/uploads/{uploadId}/complete': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Makes the parts of an upload an object. Repeated, it answers the object.
     * @description Any key. A person needs the role `editor`.
     */
    post: operations['completeUpload'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/uploads/{uploadId}/renew': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Answers new addresses for the parts of an open upload; the earlier ones go on.
     * @description Any key. A person needs the role `editor`.
     */
    post: operations['renewUpload'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/usage': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Tells what was used in a month or between two days, what is included, and what it costs.
     * @description Any key.
     */
    get: operations['readUsage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/usage/assets': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Tells what was done, and charged, for each file.
     * @description Any key.
     */
    get: operations['listUsageOfAssets'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/usage/daily': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Tells what was used on each day.
     * @description Any key.
     */
    get: operations['readDailyUsage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/usage/quotas': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Tells how the account stands against its quotas of the month, and its allowance of dashboard searches.
     * @description Any key.
     */
    get: operations['readQuotas'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/usage/resources': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Tells what each bucket used, by day.
     * @description Any key.
     */
    get: operations['readResourceUsage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/videos/{videoId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads a video.
     * @description Any key.
     */
    get: operations['readVideo'];
    put?: never;
    post?: never;
    /**
     * Deletes a video with all its files, the source included.
     * @description Any key. A person needs the role `editor`.
     */
    delete: operations['removeVideo'];
    options?: never;
    head?: never;
    /**
     * Changes title or metadata of a video; metadata is replaced as a whole.
     * @description Any key. A person needs the role `editor`.
     */
    patch: operations['changeVideo'];
    trace?: never;
  };
  '/api/content/v1/videos/{videoId}/reencode': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Encodes a ready video again. It plays as it is until its first new quality is made.
     * @description Needs an admin key. A person needs the role `admin`. Needs plan feature `video`.
     */
    post: operations['reencodeVideo'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/webhook-deliveries/{deliveryId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads a delivery with the body that it sends.
     * @description Any key.
     */
    get: operations['readWebhookDelivery'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/webhook-deliveries/{deliveryId}/redeliver': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Sends the event of a delivery once more, under the same event id, also to an inactive endpoint.
     * @description Any key. A person needs the role `editor`.
     */
    post: operations['redeliverWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/webhooks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the endpoints, oldest first.
     * @description Any key.
     */
    get: operations['listWebhooks'];
    put?: never;
    /**
     * Adds an endpoint for events of videos. Its signing secret is in this response only.
     * @description Needs an admin key. A person needs the role `admin`. Needs plan feature `video`.
     */
    post: operations['createWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/webhooks/{webhookId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads an endpoint.
     * @description Any key.
     */
    get: operations['readWebhook'];
    put?: never;
    post?: never;
    /**
     * Deletes an endpoint. Its pending deliveries fail.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    delete: operations['removeWebhook'];
    options?: never;
    head?: never;
    /**
     * Changes an endpoint. Made inactive, its pending deliveries fail; made active, earlier failures are forgotten.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    patch: operations['changeWebhook'];
    trace?: never;
  };
  '/api/content/v1/webhooks/{webhookId}/deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists what was sent to an endpoint within 30 days, newest first.
     * @description Any key.
     */
    get: operations['listWebhookDeliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/webhooks/{webhookId}/ping': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Sends a test event, webhook.ping, to an endpoint, also to an inactive one.
     * @description Any key. A person needs the role `editor`.
     */
    post: operations['pingWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/content/v1/webhooks/{webhookId}/secret/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Gives an endpoint a new secret, in this response only. For 24 hours requests are signed with both.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    post: operations['rotateWebhookSecret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/api-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the account's API keys in any state, newest first.
     * @description Needs a session of the dashboard. A person needs the role `admin`.
     */
    get: operations['listApiKeys'];
    put?: never;
    /**
     * Creates an API key. The answer shows it, once. Two are active at a time.
     * @description Needs a session of the dashboard. A person needs the role `admin`.
     */
    post: operations['createApiKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/api-keys/{keyId}/deactivate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Deactivates an API key: it is refused within a second.
     * @description Needs a session of the dashboard. A person needs the role `admin`.
     */
    post: operations['deactivateApiKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/api-keys/{keyId}/reactivate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Reactivates an API key.
     * @description Needs a session of the dashboard. A person needs the role `admin`.
     */
    post: operations['reactivateApiKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/api-keys/{keyId}/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Replaces the secret of an active API key. The answer shows the new one, once.
     * @description Needs a session of the dashboard. A person needs the role `admin`.
     */
    post: operations['rotateApiKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/invitation': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Reads what the holder of an invitation is invited to. */
    post: operations['readInvitation'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/invitation/acceptance': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Accepts an invitation with a password of at least 12 characters, and starts a session. */
    post: operations['acceptInvitation'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/invitations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the invitations that can be accepted, oldest first.
     * @description Needs a session of the dashboard. A person needs the role `admin`.
     */
    get: operations['listInvitations'];
    put?: never;
    /**
     * Invites a person for seven days. The answer shows the token of the link, once.
     * @description Needs a session of the dashboard. A person needs the role `admin`.
     */
    post: operations['invitePerson'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/invitations/{invitationId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Revokes an invitation: its link is refused at once.
     * @description Needs a session of the dashboard. A person needs the role `admin`.
     */
    delete: operations['revokeInvitation'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/organization': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads the account's own organization.
     * @description Needs a session of the dashboard.
     */
    get: operations['readOrganization'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Changes the fields that are sent of the account's own organization.
     * @description Needs a session of the dashboard. A person needs the role `admin`.
     */
    patch: operations['changeOrganization'];
    trace?: never;
  };
  '/api/dashboard/people': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the people of the account, active or not.
     * @description Needs a session of the dashboard. A person needs the role `admin`.
     */
    get: operations['listPeople'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/people/{userId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Changes a person's role, or whether they may sign in. Nobody gives more than they have.
     * @description Needs a session of the dashboard. A person needs the role `admin`.
     */
    patch: operations['changePerson'];
    trace?: never;
  };
  '/api/dashboard/profile': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads who is signed in.
     * @description Needs a session of the dashboard.
     */
    get: operations['readProfile'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/profile/password': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Changes one's own password, and ends one's other sessions.
     * @description Needs a session of the dashboard.
     */
    post: operations['changePassword'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/profile/second-factor': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Makes the secret of a second factor (TOTP, RFC 6238), which is shown once and holds when it is confirmed.
     * @description Needs a session of the dashboard.
     */
    post: operations['beginSecondFactor'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/profile/second-factor/confirmation': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Turns the second factor on by one of its codes. The answer shows the recovery codes, once.
     * @description Needs a session of the dashboard.
     */
    post: operations['confirmSecondFactor'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/profile/second-factor/recovery-codes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Makes new recovery codes, which are shown once, in place of the earlier ones.
     * @description Needs a session of the dashboard.
     */
    post: operations['replaceRecoveryCodes'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/profile/second-factor/removal': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Turns the second factor off.
     * @description Needs a session of the dashboard.
     */
    post: operations['removeSecondFactor'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/session': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Reads the session of the cookie. */
    get: operations['readDashboardSession'];
    put?: never;
    /**
     * Starts a session of the dashboard, which lasts 12 hours.
     * @description Operations take the cookie in place of a key, with the rights of the user's role: an owner or admin has those of an admin key. With methods other than GET and HEAD they then need the API's own `Origin`. `code` is that of the second factor, or a recovery code.
     */
    post: operations['startDashboardSession'];
    /** Ends the session of the cookie, if there is one. */
    delete: operations['endDashboardSession'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/sessions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists one's own sessions, newest first.
     * @description Needs a session of the dashboard.
     */
    get: operations['listDashboardSessions'];
    put?: never;
    post?: never;
    /**
     * Ends every other of one's own sessions, at once.
     * @description Needs a session of the dashboard.
     */
    delete: operations['revokeOtherDashboardSessions'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/dashboard/sessions/{sessionId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Ends one of one's own sessions, at once.
     * @description Needs a session of the dashboard.
     */
    delete: operations['revokeDashboardSession'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/sub-organizations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Lists the sub-organizations, active or not.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    get: operations['listSubOrganizations'];
    put?: never;
    /**
     * Creates a sub-organization.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    post: operations['createSubOrganization'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/sub-organizations/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Reads a sub-organization.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    get: operations['readSubOrganization'];
    /**
     * Changes the fields that are sent; is_active true reactivates.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    put: operations['changeSubOrganization'];
    post?: never;
    /**
     * Deactivates a sub-organization; deletes nothing.
     * @description Needs an admin key. A person needs the role `admin`.
     */
    delete: operations['deactivateSubOrganization'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** Accepted */
    Accepted: {
      /** Format: uuid */
      assetId: string;
      /** Format: uuid */
      jobId: string;
      revision: number;
    };
    /** Activity */
    Activity: {
      items: components['schemas']['Asset'][];
      nextCursor?: string | null;
    };
    /** AnalyticsPreview */
    AnalyticsPreview: {
      /** @enum {string} */
      basis: 'traffic' | 'files';
      distinctValues: number;
      estimatedMonthlyPrice: components['schemas']['MonthlyPrice'] | null;
      estimatedValuesPerMonth: number;
      examples: components['schemas']['PreviewExample'][];
      note: string | null;
      sampleSize: number;
    };
    /** Answer */
    Answer: {
      answer: string | null;
      citations: components['schemas']['Citation'][];
      /** Format: uuid */
      searchId: string;
      withheldAsWeak: number;
    };
    /** ApiKey */
    ApiKey: {
      /** Format: date-time */
      createdAt: string;
      expiresAt: string | null;
      formerUntil: string | null;
      /** Format: uuid */
      id: string;
      isActive: boolean;
      label: string;
      prefix: string;
      /** @enum {string} */
      scope: 'standard' | 'admin';
    };
    /** ApiKeys */
    ApiKeys: {
      items: components['schemas']['ApiKey'][];
    };
    /** Asset */
    Asset: {
      /** @enum {string} */
      aclMode: 'open' | 'restricted';
      activeRevision: number | null;
      /** Format: uuid */
      assetId: string;
      audioTrack: number | null;
      bucketId: string | null;
      callbackKey: string | null;
      collections: string[];
      connectorId: string | null;
      connectorName: string | null;
      contentSha256: string | null;
      /** Format: date-time */
      createdAt: string;
      externalId: string;
      extractContentFromVideoFrames: boolean | null;
      filename: string;
      kind: components['schemas']['Kind'];
      language: string;
      latestJob: components['schemas']['LatestJob'];
      latestRevision: number;
      /** @description Texts, numbers, booleans, or lists of them, by key. */
      metadata: Record<string, never>;
      /** @enum {string} */
      revisionState: 'indexing' | 'ready' | 'failed' | 'awaiting_source_access' | 'cancelled';
      sourceAccessMode: ('renewable' | 'stored') | null;
      sourceMissingSince: string | null;
      sourceUrl: string;
      sourceVersion: string;
      /** @enum {string} */
      state: 'indexing' | 'ready' | 'failed' | 'awaiting_source_access' | 'deleting';
      /** Format: date-time */
      updatedAt: string;
      warnings?: components['schemas']['Warning'][];
    };
    /** Assets */
    Assets: {
      items: components['schemas']['Asset'][];
      limit: number;
      offset: number;
      total: number;
    };
    /** AttentionItem */
    AttentionItem: {
      /** Format: uuid */
      assetId: string;
      attempt: number;
      errorCode: string | null;
      externalId: string;
      filename: string;
      /** Format: uuid */
      jobId: string;
      kind: components['schemas']['Kind'];
      stage: components['schemas']['Stage'];
      state: components['schemas']['JobState'];
      /** Format: date-time */
      updatedAt: string;
    };
    /** AuditActor */
    AuditActor: {
      id: string | null;
      /** @enum {string} */
      kind: 'user' | 'api_key' | 'plycdn';
      label: string | null;
      prefix: string | null;
    };
    /** AuditLog */
    AuditLog: {
      items: components['schemas']['AuditLogRow'][];
      nextCursor: string | null;
    };
    /** AuditLogRow */
    AuditLogRow: {
      action: string;
      actor: string;
      /** Format: date-time */
      at: string;
      detail: Record<string, never>;
      ip: string | null;
      resourceId: string;
      resourceKind: string;
    };
    /** AuditRow */
    AuditRow: {
      action: string;
      actor: components['schemas']['AuditActor'];
      /** Format: date-time */
      at: string;
      detail: Record<string, never>;
      id: string;
      resourceId: string;
      resourceKind: string;
    };
    /** AuditRows */
    AuditRows: {
      items: components['schemas']['AuditRow'][];
      next: string | null;
    };
    /** AzureBlobConnectorInput */
    AzureBlobConnectorInput: {
      config:
        | {
            blobService: string;
            container: string;
            /** @default  */
            prefix?: string;
          }
        | {
            containerUrl: string;
            /** @default  */
            prefix?: string;
          };
      credential?: string;
      /**
       * @default restricted
       * @enum {string}
       */
      defaultAclMode?: 'open' | 'restricted';
      /** @default true */
      enabled?: boolean;
      extractContentFromVideoFrames?: boolean | null;
      /** @enum {string} */
      kind: 'azure_blob';
      name: string;
      /**
       * @default manual
       * @enum {string}
       */
      schedule?: 'nightly' | 'manual';
    };
    /** Boost */
    Boost: {
      factor: number;
      match: {
        kind?: components['schemas']['Kind'];
        /** @description Texts, numbers, booleans, or lists of them, by key. */
        metadata?: Record<string, never>;
      };
      name: string;
    };
    /** Boosts */
    Boosts: {
      items: components['schemas']['Boost'][];
    };
    /** Bucket */
    Bucket: {
      analytics: components['schemas']['BucketAnalytics'];
      cache: components['schemas']['BucketCache'];
      cors: components['schemas']['BucketCors'];
      /** Format: date-time */
      createdAt: string;
      defaultHostname: string;
      deletedAt: string | null;
      delivery: components['schemas']['BucketDelivery'];
      deliveryBaseUrl: string;
      failureReason: string | null;
      /** Format: uuid */
      id: string;
      /** @enum {string} */
      kind: 'files' | 'video';
      name: string;
      objectCount: number;
      purgeAfter: string | null;
      region: string;
      /** @enum {string} */
      state: 'creating' | 'active' | 'failed' | 'deleting' | 'deleted';
      storedBytes: number;
      strictResidency: boolean;
      suspended: boolean;
      /** Format: date-time */
      updatedAt: string;
      uploadRules: components['schemas']['BucketUploadRules'];
      /** @enum {string} */
      visibility: 'private' | 'public';
    };
    /** BucketAnalytics */
    BucketAnalytics: {
      ceiling: number | null;
      dimensions: Record<string, never>[];
      effectiveCeiling: number;
      enabled: boolean;
      since: string | null;
    };
    /** BucketCache */
    BucketCache: {
      browserCacheControl: string | null;
      edgeTtlSeconds: number | null;
      rules: Record<string, never>[];
    };
    /** BucketCors */
    BucketCors: {
      allowCredentials: boolean;
      allowedHeaders: string[];
      allowedMethods: string[];
      allowedOrigins: string[];
      exposeHeaders: string[];
      maxAgeSeconds: number;
    };
    /** BucketDelivery */
    BucketDelivery: {
      allowedDomains: string[];
      blockNoReferrer: boolean;
      countriesAllow: string[];
      countriesBlock: string[];
      ipBinding: boolean;
      linkTtlSeconds: number;
      rateLimitKbps: number | null;
    };
    /** BucketName */
    BucketName: {
      available: boolean;
      hostname: string | null;
      name: string;
      reason: ('invalid' | 'taken') | null;
    };
    /** Buckets */
    Buckets: {
      items: components['schemas']['Bucket'][];
    };
    /** BucketUploadRules */
    BucketUploadRules: {
      allowedTypes: string[];
      allowOverwrite: boolean;
      maxObjectBytes: number | null;
    };
    /** BucketVolume */
    BucketVolume: {
      /** Format: uuid */
      bucketId: string;
      bucketName: string;
      /** @description GB of 2^30 bytes, six decimals. */
      gb: number;
      requests: number;
    };
    /** CancelledJob */
    CancelledJob: {
      /** Format: uuid */
      jobId: string;
      /** @enum {string} */
      state: 'cancelled';
    };
    /** CanvasConnectorInput */
    CanvasConnectorInput: {
      config: {
        baseUrl: string;
      };
      credential?: string;
      /**
       * @default restricted
       * @enum {string}
       */
      defaultAclMode?: 'open' | 'restricted';
      /** @default true */
      enabled?: boolean;
      extractContentFromVideoFrames?: boolean | null;
      /** @enum {string} */
      kind: 'canvas';
      name: string;
      /**
       * @default manual
       * @enum {string}
       */
      schedule?: 'nightly' | 'manual';
    };
    /** Capabilities */
    Capabilities: {
      formats: components['schemas']['Format'][];
      maxAudioSeconds: number;
      maxDocumentBytes: number;
      maxFileBytes: number;
    };
    /** Citation */
    Citation: {
      /** Format: uuid */
      assetId: string;
      cited: boolean;
      confidence: components['schemas']['Confidence'];
      filename: string;
      highlights: components['schemas']['Highlight'][];
      kind: components['schemas']['Kind'];
      language: string | null;
      location: components['schemas']['Location'];
      matchType: components['schemas']['MatchType'];
      /** @description Texts, numbers, booleans, or lists of them, by key. */
      metadata: Record<string, never>;
      number: number;
      pinned: boolean;
      relevance: number;
      revision: number;
      score: number;
      snippet: string;
      sourceReference: components['schemas']['SourceReference'];
      speaker: string | null;
    };
    /** Collection */
    Collection: {
      assetCount: number;
      /** Format: date-time */
      createdAt: string;
      externalId: string;
      /** @description Texts, numbers, booleans, or lists of them, by key. */
      metadata: Record<string, never>;
      name: string;
      /** Format: date-time */
      updatedAt: string;
    };
    /** CollectionCount */
    CollectionCount: {
      assetCount: number;
      externalId: string;
    };
    /** Collections */
    Collections: {
      items: components['schemas']['Collection'][];
    };
    /** CompletedUpload */
    CompletedUpload: {
      /** Format: uuid */
      bucketId: string;
      /** @enum {string} */
      checksumState: 'verified' | 'unverified' | 'pending' | 'mismatch' | 'not_requested';
      contentType: string;
      /** Format: date-time */
      createdAt: string;
      /** @enum {string} */
      createdVia: 'plycdn' | 's3' | 'azure';
      etag: string;
      /** Format: uuid */
      id: string;
      key: string;
      metadata: Record<string, never>;
      sha256: string | null;
      size: number;
      /** @enum {string} */
      state: 'stored' | 'disabled';
      /** Format: date-time */
      updatedAt: string;
      /** @description Where it can be read without a signed link. */
      url?: string;
      /**
       * Format: uuid
       * @description The video whose source it is.
       */
      videoId?: string;
    };
    /**
     * Confidence
     * @enum {string}
     */
    Confidence: 'high' | 'moderate' | 'low';
    /** Connector */
    Connector: {
      /** @description The fields of its kind. */
      config: {
        [key: string]: string;
      };
      /** Format: uuid */
      connectorId: string;
      /** Format: date-time */
      createdAt: string;
      credentialSet: boolean;
      /** @enum {string} */
      defaultAclMode: 'open' | 'restricted';
      enabled: boolean;
      extractContentFromVideoFrames: boolean | null;
      failures: components['schemas']['SyncFailure'][];
      /** @enum {string} */
      kind: 's3' | 'azure_blob' | 'canvas';
      lastError: string | null;
      lastRunAt: string | null;
      lastSummary: components['schemas']['SyncSummary'] | null;
      name: string;
      notifyUrl: string | null;
      /** @enum {string} */
      schedule: 'nightly' | 'manual';
      syncPending: boolean;
      /** Format: date-time */
      updatedAt: string;
    };
    /** Connectors */
    Connectors: {
      items: components['schemas']['Connector'][];
    };
    /** CountryRequests */
    CountryRequests: {
      country: string;
      requests: number;
    };
    /** CreatedCollection */
    CreatedCollection: {
      assetCount: number;
      /** Format: date-time */
      createdAt: string;
      externalId: string;
      /** @description Texts, numbers, booleans, or lists of them, by key. */
      metadata: Record<string, never>;
      name: string;
      unavailable: components['schemas']['UnavailableFile'][];
      /** Format: date-time */
      updatedAt: string;
    };
    /** CurrentDashboardSession */
    CurrentDashboardSession: {
      email: string;
      /** Format: date-time */
      expiresAt: string;
      /** Format: uuid */
      organizationId: string;
      /** @description Links to hostnames under `domain` are read over HTTP at `port`: this deployment has no TLS. Null where they work as they are. */
      plainDelivery: components['schemas']['PlainDelivery'] | null;
      /** @enum {string} */
      role: 'reader' | 'editor' | 'admin' | 'owner';
      timeZone: string;
      /** Format: uuid */
      userId: string;
    };
    /** DailyMetric */
    DailyMetric: {
      label: string;
      metric: string;
      points: components['schemas']['DailyPoint'][];
      unit: string;
    };
    /** DailyOrganization */
    DailyOrganization: {
      metrics: components['schemas']['DailyMetric'][];
      /** Format: uuid */
      organizationId: string;
    };
    /** DailyPeriod */
    DailyPeriod: {
      from: string;
      /** @enum {string} */
      kind: 'month' | 'range';
      timeZone: string;
      to: string;
    };
    /** DailyPoint */
    DailyPoint: {
      day: string;
      quantity: number;
    };
    /** DailyUsage */
    DailyUsage: {
      metrics: components['schemas']['DailyMetric'][];
      organizations?: components['schemas']['DailyOrganization'][];
      period: components['schemas']['DailyPeriod'];
      timeZone: string;
    };
    /** DashboardSearches */
    DashboardSearches: {
      allowance: number | null;
      currency: string | null;
      overAllowance: number;
      remaining: number | null;
      serviceActive: boolean;
      serviceEndsAt: string | null;
      serviceStartsAt: string | null;
      unitPrice: number | null;
      used: number;
    };
    /** DashboardSession */
    DashboardSession: {
      email: string;
      /** Format: date-time */
      expiresAt: string;
      /** Format: uuid */
      organizationId: string;
      /** Format: uuid */
      userId: string;
    };
    /** DashboardSessionItem */
    DashboardSessionItem: {
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      expiresAt: string;
      /** Format: uuid */
      id: string;
      ip: string | null;
      isCurrent: boolean;
      userAgent: string | null;
    };
    /** DashboardSessions */
    DashboardSessions: {
      items: components['schemas']['DashboardSessionItem'][];
    };
    /** Deactivated */
    Deactivated: {
      message: string;
      /** @constant */
      success: true;
    };
    /** DeliveryAnalytics */
    DeliveryAnalytics: {
      bucketId: string | null;
      buckets: components['schemas']['BucketVolume'][];
      days: components['schemas']['DeliveryDay'][];
      from: string;
      regionGroups: components['schemas']['RegionGroupVolume'][];
      to: string;
      totals: components['schemas']['DeliveryVolume'];
    };
    /** DeliveryDay */
    DeliveryDay: {
      day: string;
      /** @description GB of 2^30 bytes, six decimals. */
      gb: number;
      provisional: boolean;
      regionGroups: components['schemas']['RegionGroupVolume'][];
      requests: number;
    };
    /** DeliveryVolume */
    DeliveryVolume: {
      /** @description GB of 2^30 bytes, six decimals. */
      gb: number;
      requests: number;
    };
    /** Domain */
    Domain: {
      activeAt: string | null;
      apex: boolean | null;
      /** Format: uuid */
      bucketId: string;
      checks: components['schemas']['DomainChecks'];
      /** Format: date-time */
      createdAt: string;
      failureReason:
        | (
            | 'dns_not_configured'
            | 'hostname_in_use'
            | 'caa_blocks_certificate'
            | 'certificate_failed'
            | 'dns_record_removed'
            | 'ownership_record_removed'
            | 'provider_unavailable'
          )
        | null;
      /** @description Lower case, xn-- form. */
      hostname: string;
      /** Format: uuid */
      id: string;
      lastCheckedAt: string | null;
      nextCheckAt: string | null;
      /** @description What the DNS of the hostname must have. */
      records: components['schemas']['DomainRecord'][];
      /** @enum {string} */
      state: 'pending_dns' | 'verifying' | 'issuing_certificate' | 'active' | 'failed' | 'detached';
      unicodeHostname: string;
      /** Format: date-time */
      updatedAt: string;
    };
    /** DomainChecks */
    DomainChecks: {
      /** @enum {string} */
      certificate: 'none' | 'pending' | 'active';
      /** @enum {string} */
      claim: 'free' | 'held_elsewhere' | 'unknown';
      /** @enum {string} */
      ownership: 'found' | 'missing' | 'unknown';
      /** @enum {string} */
      routing: 'found' | 'missing' | 'elsewhere' | 'unknown';
    };
    /** DomainRecord */
    DomainRecord: {
      name: string;
      /** @enum {string} */
      type: 'TXT' | 'CNAME' | 'CAA';
      value: string;
    };
    /** Domains */
    Domains: {
      items: components['schemas']['Domain'][];
      nextCursor: string | null;
    };
    /** EmptyFile */
    EmptyFile: {
      /** Format: uuid */
      assetId: string;
      externalId: string;
      filename: string;
      kind: components['schemas']['Kind'];
      warnings: components['schemas']['Warning'][];
    };
    Error: {
      /** @enum {string} */
      code:
        | 'api_key_required'
        | 'invalid_api_key'
        | 'organization_required'
        | 'organization_forbidden'
        | 'admin_key_required'
        | 'dashboard_session_required'
        | 'invalid_credentials'
        | 'second_factor_required'
        | 'invalid_second_factor'
        | 'second_factor_state'
        | 'role_not_sufficient'
        | 'person_not_found'
        | 'last_owner'
        | 'people_limit_reached'
        | 'invitation_not_found'
        | 'email_address_taken'
        | 'session_not_found'
        | 'api_key_not_found'
        | 'api_key_inactive'
        | 'origin_not_allowed'
        | 'not_included_in_plan'
        | 'validation_error'
        | 'rate_limited'
        | 'quota_exceeded'
        | 'not_found'
        | 'method_not_allowed'
        | 'payload_too_large'
        | 'unsupported_media_type'
        | 'idempotency_conflict'
        | 'idempotency_key_required'
        | 'internal_error'
        | 'content_service_unavailable'
        | 'source_url_must_be_unsigned'
        | 'source_version_already_registered'
        | 'source_access_mismatch'
        | 'ambiguous_source_credentials'
        | 'source_host_not_allowed'
        | 'source_host_outside_ceiling'
        | 'collection_not_found'
        | 'callback_not_configured'
        | 'asset_not_found'
        | 'passage_not_found'
        | 'job_not_found'
        | 'import_not_found'
        | 'name_mismatch'
        | 'asset_busy'
        | 'asset_not_playable'
        | 'job_not_cancellable'
        | 'transcript_not_ready'
        | 'invalid_segment_ids'
        | 'revision_conflict'
        | 'api_key_limit_reached'
        | 'connector_not_found'
        | 'connector_name_taken'
        | 'invalid_callback'
        | 'sub_organization_not_found'
        | 'plan_limit_reached'
        | 'region_not_available'
        | 'bucket_name_taken'
        | 'bucket_not_found'
        | 'bucket_not_active'
        | 'bucket_suspended'
        | 'restore_window_passed'
        | 'domain_not_found'
        | 'domain_exists'
        | 'hostname_not_allowed'
        | 'domain_limit_reached'
        | 'domain_rate_limited'
        | 'domain_check_too_soon'
        | 'domain_not_active'
        | 'object_not_found'
        | 'object_exists'
        | 'object_managed'
        | 'object_busy'
        | 'file_type_not_allowed'
        | 'storage_account_not_found'
        | 'storage_account_exists'
        | 'storage_account_name_taken'
        | 'video_not_found'
        | 'original_not_kept'
        | 'library_not_found'
        | 'video_not_ready'
        | 'upload_not_found'
        | 'upload_not_open'
        | 'upload_expired'
        | 'upload_incomplete'
        | 'size_mismatch'
        | 'part_out_of_range'
        | 'part_size_mismatch'
        | 'invalid_content_length'
        | 'checksum_mismatch'
        | 'upload_too_slow'
        | 'ticket_invalid'
        | 'ticket_expired'
        | 'too_many_rows'
        | 'too_many_organizations'
        | 'export_busy'
        | 'analytics_unavailable'
        | 'purge_url_not_in_bucket'
        | 'credential_not_found'
        | 'credential_limit_reached'
        | 'purge_not_found'
        | 'webhook_not_found'
        | 'webhook_url_invalid'
        | 'webhook_limit_reached'
        | 'delivery_not_found'
        | 'invalid_period'
        | 'period_too_long'
        | 'invalid_metric'
        | 'invalid_breakdown'
        | 'statement_not_found'
        | 'audit_unavailable';
      detail: string;
      /** @description The same path joined with dots. */
      field?: string;
      /** @description Path of the first field at fault, outermost first. */
      fields?: (string | number)[];
      requestId?: string;
      /** @constant */
      retryable?: true;
    };
    /** FilePassage */
    FilePassage: {
      language: string | null;
      location: components['schemas']['Location'];
      passageId: string;
      speaker: string | null;
      text: string;
    };
    /** FilePassages */
    FilePassages: {
      /** Format: uuid */
      assetId: string;
      items: components['schemas']['FilePassage'][];
      next: number | null;
      revision: number | null;
    };
    /** Format */
    Format: {
      describes: string;
      extensions: string[];
      kind: components['schemas']['Kind'];
    };
    /** FreshUpload */
    FreshUpload: {
      /** Format: uuid */
      bucketId: string;
      contentType: string;
      /** Format: date-time */
      expiresAt: string;
      /** Format: uuid */
      id: string;
      key: string;
      objectId: string | null;
      partCount: number;
      parts: components['schemas']['UploadPart'][];
      partSize: number;
      size: number;
      /** @enum {string} */
      state: 'open' | 'completed' | 'aborted' | 'expired';
      /** Format: date-time */
      ticketExpiresAt: string;
      ticketTtlSeconds: number;
      /** @description On uploads to a library: the video, null before there is one. */
      videoId?: string | null;
    };
    /** Highlight */
    Highlight: {
      end: number;
      start: number;
    };
    /** Import */
    Import: {
      /** Format: uuid */
      importId: string;
      results: (
        | {
            /** Format: uuid */
            assetId: string;
            externalId: string;
            /** Format: uuid */
            jobId: string;
            revision: number;
          }
        | {
            code: string;
            detail?: string;
            externalId: string | null;
            fields?: (string | number)[];
          }
      )[];
    };
    /** ImportItem */
    ImportItem: {
      /** Format: uuid */
      assetId: string;
      errorCode: string | null;
      /** Format: uuid */
      jobId: string;
      progress: number;
      state: string;
    };
    /** ImportState */
    ImportState: {
      /** Format: uuid */
      importId: string;
      items: components['schemas']['ImportItem'][];
    };
    /** Invitation */
    Invitation: {
      /** Format: date-time */
      createdAt: string;
      email: string;
      /** Format: date-time */
      expiresAt: string;
      /** Format: uuid */
      id: string;
      /** Format: uuid */
      invitedBy: string;
      /** @enum {string} */
      role: 'reader' | 'editor' | 'admin' | 'owner';
    };
    /** Invitations */
    Invitations: {
      items: components['schemas']['Invitation'][];
    };
    /** Job */
    Job: {
      /** Format: uuid */
      assetId: string;
      attempt: number;
      /** Format: date-time */
      createdAt: string;
      errorCode: string | null;
      /** Format: uuid */
      jobId: string;
      progress: number;
      retryAt: string | null;
      revision: number;
      stage: components['schemas']['Stage'];
      state: components['schemas']['JobState'];
      /** Format: date-time */
      updatedAt: string;
    };
    /** Jobs */
    Jobs: {
      items: components['schemas']['Job'][];
    };
    /**
     * JobState
     * @enum {string}
     */
    JobState:
      | 'queued'
      | 'extracting'
      | 'transcribing'
      | 'embedding'
      | 'retry_scheduled'
      | 'awaiting_source_access'
      | 'ready'
      | 'failed'
      | 'cancelled'
      | 'deleting'
      | 'cleanup';
    /**
     * Kind
     * @enum {string}
     */
    Kind: 'video' | 'audio' | 'document';
    /** LatestJob */
    LatestJob: {
      attempt: number;
      errorCode: string | null;
      /** Format: uuid */
      jobId: string;
      progress: number;
      stage: components['schemas']['Stage'];
      state: components['schemas']['JobState'];
      /** Format: date-time */
      updatedAt: string;
    };
    /** Libraries */
    Libraries: {
      items: components['schemas']['Library'][];
    };
    /** Library */
    Library: {
      analytics: components['schemas']['BucketAnalytics'];
      cache: components['schemas']['BucketCache'];
      cors: components['schemas']['BucketCors'];
      /** Format: date-time */
      createdAt: string;
      defaultHostname: string;
      deletedAt: string | null;
      delivery: components['schemas']['BucketDelivery'];
      deliveryBaseUrl: string;
      failureReason: string | null;
      /** Format: uuid */
      id: string;
      /** @enum {string} */
      kind: 'files' | 'video';
      name: string;
      objectCount: number;
      processing: components['schemas']['LibraryProcessing'];
      processingOrigins: components['schemas']['ProcessingOrigins'];
      purgeAfter: string | null;
      region: string;
      /** @enum {string} */
      state: 'creating' | 'active' | 'failed' | 'deleting' | 'deleted';
      storedBytes: number;
      strictResidency: boolean;
      suspended: boolean;
      /** Format: date-time */
      updatedAt: string;
      uploadRules: components['schemas']['BucketUploadRules'];
      usesOrganizationProcessing: boolean;
      videoCount: number;
      /** @enum {string} */
      visibility: 'private' | 'public';
    };
    /** LibraryHealth */
    LibraryHealth: {
      indexedButEmpty: components['schemas']['EmptyFile'][];
      items: components['schemas']['AttentionItem'][];
      needsAttention: number;
      sourceMissing: components['schemas']['MissingFile'][];
      /** @description Latest jobs by state. */
      states: {
        awaiting_source_access: number;
        cancelled: number;
        cleanup: number;
        deleting: number;
        embedding: number;
        extracting: number;
        failed: number;
        queued: number;
        ready: number;
        retry_scheduled: number;
        transcribing: number;
      };
    };
    /** LibraryProcessing */
    LibraryProcessing: {
      download: boolean;
      keepOriginal: boolean;
      ladder: number[];
      thumbnails: boolean;
    };
    /** Link */
    Link: {
      /** @description MP4; null where the video has none. */
      downloadUrl?: string | null;
      /** @description Null where the bucket is public: the address does not expire. */
      expiresAt: string | null;
      /** @description The master playlist with the token in its path, for players that resolve addresses themselves. */
      nativeUrl?: string | null;
      /** @description Null where the video has no poster. */
      posterUrl?: string | null;
      /** @description WebVTT; null where the video has none. */
      thumbnailsUrl?: string | null;
      /** @description The file, or the master playlist of the video. */
      url: string;
    };
    /** Location */
    Location: {
      block?: number;
      /** @description Exclusive. */
      charEnd?: number;
      /** @description UTF-16 units from the start of the page or file. */
      charStart?: number;
      column?: number;
      element?: number;
      /** @description Recordings: where the passage ends. */
      endSeconds?: number;
      heading?: string;
      lineEnd?: number;
      lineStart?: number;
      page?: number;
      /** @description Recordings: where to start playing, shortly before what the query matched. */
      playFromSeconds?: number;
      /** @description Courses: the file inside the package. */
      resource?: string;
      row?: number;
      sheet?: string;
      slide?: number;
      /**
       * @description Present where the text was read from the picture.
       * @constant
       */
      source?: 'slide';
      /** @description Recordings: where the passage begins. */
      startSeconds?: number;
      /** @enum {string} */
      timingPrecision?: 'segment' | 'word';
      /** @description Courses: what the author called it. */
      title?: string;
    };
    /**
     * MatchType
     * @enum {string}
     */
    MatchType: 'keyword' | 'semantic' | 'both';
    /** Metadata */
    Metadata: {
      /** Format: uuid */
      assetId: string;
      /** @description Texts, numbers, booleans, or lists of them, by key. */
      metadata: Record<string, never>;
    };
    /** MissingFile */
    MissingFile: {
      /** Format: uuid */
      assetId: string;
      externalId: string;
      filename: string;
      kind: components['schemas']['Kind'];
      /** Format: date-time */
      missingSince: string;
      sourceUrl: string;
    };
    /** Moment */
    Moment: {
      confidence: components['schemas']['Confidence'];
      highlights: components['schemas']['Highlight'][];
      language: string | null;
      location: components['schemas']['Location'];
      matchType: components['schemas']['MatchType'];
      relevance: number;
      snippet: string;
      speaker: string | null;
    };
    /** MonthlyPrice */
    MonthlyPrice: {
      amount: number;
      currency: string;
    };
    /** NewApiKey */
    NewApiKey: {
      /** Format: date-time */
      createdAt: string;
      expiresAt: string | null;
      formerUntil: string | null;
      /** Format: uuid */
      id: string;
      isActive: boolean;
      key: string;
      label: string;
      prefix: string;
      /** @enum {string} */
      scope: 'standard' | 'admin';
    };
    /** NewInvitation */
    NewInvitation: {
      /** Format: date-time */
      createdAt: string;
      email: string;
      /** Format: date-time */
      expiresAt: string;
      /** Format: uuid */
      id: string;
      /** Format: uuid */
      invitedBy: string;
      /** @enum {string} */
      role: 'reader' | 'editor' | 'admin' | 'owner';
      token: string;
    };
    /** NewSecondFactor */
    NewSecondFactor: {
      address: string;
      secret: string;
    };
    /** NewStorageCredential */
    NewStorageCredential: {
      /** @description Of S3 clients; else null. */
      accessKeyId: string | null;
      /** @description Null: every bucket, also later ones. */
      bucketIds: string[] | null;
      /** Format: date-time */
      createdAt: string;
      /** @description `user:<id>` */
      createdBy: string;
      expiresAt: string | null;
      /** Format: uuid */
      id: string;
      /** @enum {string} */
      kind: 's3' | 'azure';
      lastUsedAt: string | null;
      name: string;
      permissions: ('read' | 'write' | 'delete' | 'manage')[];
      revokedAt: string | null;
      secret: string;
      /** @description The last four characters of the secret. */
      secretHint: string;
      /** @description Of Blob clients; else null. */
      slot: (1 | 2) | null;
      /** @enum {string} */
      state: 'active' | 'revoked';
    };
    /** NewVideo */
    NewVideo: {
      captions: Record<string, never>[];
      /** Format: date-time */
      createdAt: string;
      disabled: boolean;
      download: boolean;
      durationSeconds: number | null;
      encoding: components['schemas']['VideoEncoding'] | null;
      encodingMinutes: number | null;
      errorCode:
        | (
            | 'video_unreadable'
            | 'video_no_video_stream'
            | 'video_too_long'
            | 'video_resolution_unsupported'
            | 'video_source_missing'
            | 'upload_abandoned'
            | 'encoding_failed'
          )
        | null;
      hasAudio: boolean | null;
      height: number | null;
      /** Format: uuid */
      id: string;
      /** Format: uuid */
      libraryId: string;
      /** @description Texts, numbers and booleans, by key. */
      metadata: Record<string, never>;
      originalKept: boolean;
      playableAt: string | null;
      poster: boolean;
      readyAt: string | null;
      renditions: components['schemas']['VideoRendition'][];
      sourceKey: string;
      /** @enum {string} */
      status: 'uploading' | 'queued' | 'encoding' | 'playable' | 'ready' | 'failed';
      storedBytes: number;
      thumbnails: boolean;
      title: string;
      /** Format: date-time */
      updatedAt: string;
      upload: components['schemas']['VideoUpload'];
      /** Format: uuid */
      uploadId: string;
      width: number | null;
    };
    /** NewWebhookDelivery */
    NewWebhookDelivery: {
      /** Format: uuid */
      deliveryId: string;
    };
    /** OpenInvitation */
    OpenInvitation: {
      email: string;
      /** Format: date-time */
      expiresAt: string;
      organization: string;
      /** @enum {string} */
      role: 'reader' | 'editor' | 'admin' | 'owner';
    };
    /** OrganizationProfile */
    OrganizationProfile: {
      contactEmail: string | null;
      /** Format: date-time */
      createdAt: string;
      currency: string | null;
      description: string | null;
      /** Format: uuid */
      id: string;
      name: string;
      plan: string | null;
      timeZone: string;
      /** Format: date-time */
      updatedAt: string;
    };
    /** OrganizationUsage */
    OrganizationUsage: {
      lines: components['schemas']['OrganizationUsageLine'][];
      listAmount: number | null;
      /** Format: uuid */
      organizationId: string;
    };
    /** OrganizationUsageLine */
    OrganizationUsageLine: {
      billable: number | null;
      dimension: string;
      duplicatesNotCharged: number;
      included: null;
      listAmount: number | null;
      metric: string;
      quantity: number;
    };
    /** OwnVideoSettings */
    OwnVideoSettings: {
      download: boolean | null;
      keepOriginal: boolean | null;
      ladder: (240 | 360 | 480 | 720 | 1080 | 1440 | 2160)[] | null;
      thumbnails: boolean | null;
    };
    /** People */
    People: {
      items: components['schemas']['Person'][];
    };
    /** Permissions */
    Permissions: {
      /** Format: uuid */
      assetId: string;
      /** @enum {string} */
      mode: 'open' | 'restricted';
      principals: string[];
    };
    /** Person */
    Person: {
      /** Format: date-time */
      createdAt: string;
      email: string;
      isActive: boolean;
      /** @enum {string} */
      role: 'reader' | 'editor' | 'admin' | 'owner';
      secondFactor: boolean;
      /** Format: uuid */
      userId: string;
    };
    /** Pin */
    Pin: {
      assetIds: string[];
      query: string;
    };
    /** Pins */
    Pins: {
      items: components['schemas']['Pin'][];
    };
    /** PlainDelivery */
    PlainDelivery: {
      domain: string;
      port: number;
    };
    /** Plan */
    Plan: {
      /** @description False: no plan is applied and everything is available. */
      enforced: boolean;
      features: (
        | 'metadata'
        | 'collections'
        | 'suggestions'
        | 'related'
        | 'analytics'
        | 'tuning'
        | 'answers'
        | 'slides'
        | 'permissions'
        | 'connectors'
        | 'storage'
        | 'video'
      )[];
      /** @description Numeric ceilings; what is not listed has none. */
      limits: {
        [key: string]: number;
      };
      plan: string | null;
    };
    /** PlaybackLink */
    PlaybackLink: {
      expiresAt: string | null;
      /** @enum {string} */
      format: 'hls' | 'file';
      nativeUrl: string | null;
      posterUrl: string | null;
      url: string;
    };
    /** PreviewExample */
    PreviewExample: {
      count: number;
      value: string;
    };
    /** ProcessingFigure */
    ProcessingFigure: {
      events: number;
      label: string;
      metric: string;
      quantity: number;
      unit: string;
    };
    /** ProcessingOrigins */
    ProcessingOrigins: {
      /** @enum {string} */
      download: 'library' | 'organization' | 'parent' | 'default';
      /** @enum {string} */
      keepOriginal: 'library' | 'organization' | 'parent' | 'default';
      /** @enum {string} */
      ladder: 'library' | 'organization' | 'parent' | 'default';
      /** @enum {string} */
      thumbnails: 'library' | 'organization' | 'parent' | 'default';
    };
    /** Profile */
    Profile: {
      /** Format: date-time */
      createdAt: string;
      email: string;
      /** Format: uuid */
      organizationId: string;
      organizationName: string;
      recoveryCodesLeft: number;
      /** @enum {string} */
      role: 'reader' | 'editor' | 'admin' | 'owner';
      secondFactor: boolean;
      timeZone: string;
      /** Format: uuid */
      userId: string;
    };
    /** ProratedDays */
    ProratedDays: {
      activeDays: number;
      daysInMonth: number;
    };
    /** Proration */
    Proration: {
      activeDays: number;
      daysInMonth: number;
      from: string | null;
      to: string | null;
    };
    /** Purge */
    Purge: {
      /** Format: uuid */
      bucketId: string;
      bucketName: string;
      completedAt: string | null;
      /** Format: date-time */
      createdAt: string;
      failureReason: ('purge_failed' | 'bucket_not_active') | null;
      /** Format: uuid */
      id: string;
      requestedBy: string;
      /** @enum {string} */
      scope: 'urls' | 'prefixes' | 'all';
      startedAt: string | null;
      /** @enum {string} */
      state: 'queued' | 'running' | 'succeeded' | 'failed';
      /** @description Paths or prefixes, percent-encoded, without a leading slash; empty for `all`. */
      targets: string[];
    };
    /** Purges */
    Purges: {
      items: components['schemas']['Purge'][];
      nextCursor: string | null;
    };
    /** QueryWithoutResults */
    QueryWithoutResults: {
      /** Format: date-time */
      lastSearchedAt: string;
      query: string;
      searches: number;
    };
    /** Quota */
    Quota: {
      alertsReached: number[];
      /** @description Whether new work is refused when the quota is used up. */
      enforced: boolean;
      label: string;
      /** @enum {string} */
      metric: 'media_hours' | 'document_megabytes' | 'searches' | 'answers' | 'index_gigabyte_months';
      /** @description One decimal; 100 of a quota of 0. */
      percent: number | null;
      /** @description Null: unlimited. */
      quota: number | null;
      remaining: number | null;
      unit: string;
      used: number;
    };
    /** Quotas */
    Quotas: {
      alertThresholds: number[];
      dashboardSearches: components['schemas']['DashboardSearches'];
      metrics: components['schemas']['Quota'][];
      month: string;
      payAsYouGo: boolean;
      serviceActive: boolean;
      serviceEndsAt: string | null;
      serviceStartsAt: string | null;
      timeZone: string;
    };
    /** ReceivedPart */
    ReceivedPart: {
      etag: string;
      number: number;
      size: number;
    };
    /** RecoveryCodes */
    RecoveryCodes: {
      recoveryCodes: string[];
    };
    /** Region */
    Region: {
      code: string;
      /** @description ISO 3166-1 alpha-2. */
      country: string;
      endpoints: components['schemas']['RegionEndpoints'];
      name: string;
      strictCapable: boolean;
    };
    /** RegionEndpoints */
    RegionEndpoints: {
      blob: string;
      blobGlobal: string;
      s3: string;
      s3VirtualHost: string;
      upload: string;
    };
    /** RegionGroupVolume */
    RegionGroupVolume: {
      /** @description GB of 2^30 bytes, six decimals. */
      gb: number;
      label: string;
      /** @enum {string} */
      regionGroup: 'india-asia' | 'europe-north-america' | 'latin-america' | 'middle-east-africa';
      requests: number;
    };
    /** Regions */
    Regions: {
      items: components['schemas']['Region'][];
    };
    /** Registration */
    Registration: {
      audioTrack?: number;
      callbackKey?: string;
      collections?: string[];
      contentSha256?: string;
      externalId: string;
      extractContentFromVideoFrames?: boolean | null;
      filename: string;
      kind: components['schemas']['Kind'];
      /** @default multi */
      language?: string;
      metadata?: {
        [key: string]: string | number | boolean | (string | number | boolean)[];
      };
      principals?: string[];
      sourceAccess?: {
        sasToken?: string;
        url: string;
      };
      sourceUrl: string;
      sourceVersion: string;
    } & (unknown & unknown & unknown);
    /** RelatedFile */
    RelatedFile: {
      /** Format: uuid */
      assetId: string;
      externalId: string;
      filename: string;
      kind: components['schemas']['Kind'];
      /** @description Texts, numbers, booleans, or lists of them, by key. */
      metadata: Record<string, never>;
      similarity: number;
    };
    /** RelatedFiles */
    RelatedFiles: {
      /** Format: uuid */
      assetId: string;
      items: components['schemas']['RelatedFile'][];
      /** Format: uuid */
      searchId: string;
    };
    /** RemovedVideo */
    RemovedVideo: {
      /** Format: uuid */
      id: string;
      /** @enum {string} */
      status: 'deleted';
    };
    /** ResourceUsage */
    ResourceUsage: {
      items: components['schemas']['ResourceUsageRow'][];
      nextCursor?: string;
    };
    /** ResourceUsageRow */
    ResourceUsageRow: {
      day: string;
      dimension: string | null;
      /** @enum {string} */
      metric:
        | 'storage_gb_days'
        | 'delivery_gb'
        | 'requests_millions'
        | 'upload_gb'
        | 'custom_domain_days'
        | 'encoding_minutes'
        | 'gateway_egress_gb'
        | 'gateway_write_requests_millions'
        | 'gateway_read_requests_millions';
      provisional: boolean;
      quantity: number;
      resourceId: string;
      resourceName: string | null;
      unit: string;
    };
    /** ResumedJobs */
    ResumedJobs: {
      /** Format: uuid */
      assetId: string;
      resumedJobs: string[];
    };
    /** S3ConnectorInput */
    S3ConnectorInput: {
      config: {
        accessKeyId: string;
        bucket: string;
        endpoint: string;
        /** @default  */
        prefix?: string;
        /** @default us-east-1 */
        region?: string;
      };
      credential?: string;
      /**
       * @default restricted
       * @enum {string}
       */
      defaultAclMode?: 'open' | 'restricted';
      /** @default true */
      enabled?: boolean;
      extractContentFromVideoFrames?: boolean | null;
      /** @enum {string} */
      kind: 's3';
      name: string;
      /**
       * @default manual
       * @enum {string}
       */
      schedule?: 'nightly' | 'manual';
    };
    /** SearchAnalytics */
    SearchAnalytics: {
      daily: components['schemas']['SearchDay'][];
      recordingSince: string | null;
      summary: components['schemas']['SearchSummary'];
      topQueries: components['schemas']['TopQuery'][];
      windowDays: number;
      withoutResults: components['schemas']['QueryWithoutResults'][];
    };
    /** SearchDay */
    SearchDay: {
      day: string;
      searches: number;
      withoutResults: number;
    };
    /** SearchFilter */
    SearchFilter: {
      assetIds?: string[];
      collections?: string[];
      /** Format: date-time */
      createdAfter?: string;
      /** Format: date-time */
      createdBefore?: string;
      externalIds?: string[];
      language?: string;
      /** @description At most 65536 bytes as JSON. */
      metadata?: {
        [key: string]: string | number | boolean | (string | number | boolean)[];
      };
      speaker?: string;
    };
    /** SearchItem */
    SearchItem: {
      /** Format: uuid */
      assetId: string;
      confidence: components['schemas']['Confidence'];
      filename: string;
      highlights: components['schemas']['Highlight'][];
      kind: components['schemas']['Kind'];
      language: string | null;
      location: components['schemas']['Location'];
      matchType: components['schemas']['MatchType'];
      /** @description Texts, numbers, booleans, or lists of them, by key. */
      metadata: Record<string, never>;
      momentCount?: number;
      moments?: components['schemas']['Moment'][];
      pinned: boolean;
      relevance: number;
      revision: number;
      score: number;
      snippet: string;
      sourceReference: components['schemas']['SourceReference'];
      speaker: string | null;
    };
    /** SearchResult */
    SearchResult: {
      hasMore: boolean;
      items: components['schemas']['SearchItem'][];
      /** Format: uuid */
      searchId: string;
      terms: string[];
      withheldAsWeak: number;
    };
    /** SearchSummary */
    SearchSummary: {
      answers: number;
      meanResults: number;
      medianMilliseconds: number | null;
      searches: number;
      withoutResults: number;
      withResults: number;
    };
    /** Segment */
    Segment: {
      /** @description Seconds from the start of the recording. */
      end: number;
      id: string;
      language: string | null;
      speaker: string | null;
      /** @description Seconds from the start of the recording. */
      start: number;
      text: string;
      /** @enum {string} */
      timingPrecision: 'segment' | 'word';
      words: components['schemas']['SpokenWord'][];
    };
    /** SentWebhookDelivery */
    SentWebhookDelivery: {
      /** @description Attempts that have ended. */
      attempts: number;
      /** @description The body of each of its requests, to the byte: what signatures are made of. */
      body: string;
      /** Format: date-time */
      createdAt: string;
      deliveredAt: string | null;
      /** @enum {string} */
      event: 'video.playable' | 'video.ready' | 'video.failed' | 'webhook.ping';
      /** Format: uuid */
      id: string;
      lastError:
        ('timeout' | 'dns_failed' | 'address_not_allowed' | 'connection_failed' | 'tls_failed' | 'status') | null;
      lastStatus: number | null;
      nextAttemptAt: string | null;
      /** @enum {string} */
      state: 'pending' | 'delivered' | 'failed';
      videoId: string | null;
      /** Format: uuid */
      webhookId: string;
    };
    /** Settings */
    Settings: {
      allowedHostCeiling: string[];
      callbackSecretSet: boolean;
      callbackUrl: string | null;
      configured: boolean;
      dailyAudioHours: number | null;
      /** @constant */
      dailyBudgetUsd: 0;
      extractContentFromVideoFrames: boolean;
      origins: components['schemas']['SettingsOrigins'];
      requireAcl: boolean;
      searchLogDays: number;
      sourceHosts: string[];
      updatedAt: string | null;
      videoDefaults: components['schemas']['VideoSettings'];
      videoDefaultsOrigins: components['schemas']['VideoSettingsOrigins'];
      videoDefaultsOwn: components['schemas']['OwnVideoSettings'];
      videoPlatformDefaults: components['schemas']['VideoSettings'];
    };
    /** SettingsOrigins */
    SettingsOrigins: {
      /** @description The organization's id for its own value, `owner` for its parent's, `deployment` where neither has one. */
      callback_secret: string;
      /** @description The organization's id for its own value, `owner` for its parent's, `deployment` where neither has one. */
      callback_url: string;
      /** @description The organization's id for its own value, `owner` for its parent's, `deployment` where neither has one. */
      daily_audio_hours: string;
      /** @description The organization's id for its own value, `owner` for its parent's, `deployment` where neither has one. */
      daily_budget_usd: string;
      /** @description The organization's id for its own value, `owner` for its parent's, `deployment` where neither has one. */
      extract_content_from_video_frames: string;
      /** @description The organization's id for its own value, `owner` for its parent's, `deployment` where neither has one. */
      require_acl: string;
      /** @description The organization's id for its own value, `owner` for its parent's, `deployment` where neither has one. */
      search_log_days: string;
      /** @description The organization's id for its own value, `owner` for its parent's, `deployment` where neither has one. */
      source_hosts: string;
    };
    /** SigningProfile */
    SigningProfile: {
      /** Format: uuid */
      bucketId: string;
      defaultTtlSeconds: number;
      directoryScheme: ('pl1d' | 'ps3') | null;
      hostname: string;
      /** @description Hostnames that links work on, the default one first. */
      hostnames: string[];
      ipBinding: boolean;
      /** @description Key of the HMAC-SHA256: 32 bytes in base64url without padding. */
      key: string;
      /** @description 8 characters; `kid` of links. */
      keyId: string;
      pathTokens: boolean;
      /** @enum {string} */
      scheme: 'pl1' | 'ps2';
      tagsEnabled: boolean;
    };
    /** SourceReference */
    SourceReference: {
      externalId: string;
      sourceUrl: string;
      sourceVersion: string;
    };
    /** SpokenWord */
    SpokenWord: {
      confidence: number | null;
      /** @description Seconds from the start of the recording. */
      end: number;
      /** @description Seconds from the start of the recording. */
      start: number;
      text: string;
    };
    /**
     * Stage
     * @enum {string}
     */
    Stage: 'extracting' | 'transcribing' | 'embedding' | 'deleting' | 'cleanup';
    /** Statement */
    Statement: {
      /** Format: date-time */
      closedAt: string;
      currency: string | null;
      customer: string;
      lines: components['schemas']['UsageLine'][];
      month: string;
      organizationNames: {
        [key: string]: string;
      };
      organizations: components['schemas']['OrganizationUsage'][];
      payAsYouGo: boolean;
      period: components['schemas']['UsagePeriod'];
      plan: string | null;
      priced: boolean;
      proration?: components['schemas']['Proration'];
      /** @enum {string} */
      scope: 'account' | 'organization';
      sha256?: string;
      statementNumber: string | null;
      /** @enum {string} */
      status: 'open' | 'closed';
      total: number | null;
    };
    /** StatementItem */
    StatementItem: {
      /** Format: date-time */
      closedAt: string;
      currency: string | null;
      month: string;
      statementNumber: string;
      subtotal?: number | null;
      total: number | null;
    };
    /** StatementList */
    StatementList: {
      items: components['schemas']['StatementItem'][];
    };
    /** StorageAccount */
    StorageAccount: {
      /** @description Base address for Blob clients. */
      blobEndpoint: string;
      /** Format: date-time */
      createdAt: string;
      /**
       * @description Whether the DNS has the hostname of `blobEndpoint`.
       * @enum {string}
       */
      dnsState: 'pending' | 'active' | 'failed';
      homeRegion: string;
      name: string;
    };
    /** StorageCredential */
    StorageCredential: {
      /** @description Of S3 clients; else null. */
      accessKeyId: string | null;
      /** @description Null: every bucket, also later ones. */
      bucketIds: string[] | null;
      /** Format: date-time */
      createdAt: string;
      /** @description `user:<id>` */
      createdBy: string;
      expiresAt: string | null;
      /** Format: uuid */
      id: string;
      /** @enum {string} */
      kind: 's3' | 'azure';
      lastUsedAt: string | null;
      name: string;
      permissions: ('read' | 'write' | 'delete' | 'manage')[];
      revokedAt: string | null;
      /** @description The last four characters of the secret. */
      secretHint: string;
      /** @description Of Blob clients; else null. */
      slot: (1 | 2) | null;
      /** @enum {string} */
      state: 'active' | 'revoked';
    };
    /** StorageCredentials */
    StorageCredentials: {
      items: components['schemas']['StorageCredential'][];
    };
    /** StoredObject */
    StoredObject: {
      /** Format: uuid */
      bucketId: string;
      /** @enum {string} */
      checksumState: 'verified' | 'unverified' | 'pending' | 'mismatch' | 'not_requested';
      contentType: string;
      /** Format: date-time */
      createdAt: string;
      /** @enum {string} */
      createdVia: 'plycdn' | 's3' | 'azure';
      etag: string;
      /** Format: uuid */
      id: string;
      key: string;
      metadata: Record<string, never>;
      sha256: string | null;
      size: number;
      /** @enum {string} */
      state: 'stored' | 'disabled';
      /** Format: date-time */
      updatedAt: string;
      /** @description Where it can be read without a signed link. */
      url?: string;
    };
    /** StoredObjects */
    StoredObjects: {
      items: components['schemas']['StoredObject'][];
      nextCursor: string | null;
    };
    /** SubOrganization */
    SubOrganization: {
      contact_email: string | null;
      /** Format: date-time */
      created_at: string;
      description: string | null;
      /** Format: uuid */
      id: string;
      is_active: boolean;
      metadata: Record<string, never> | null;
      name: string;
      /** Format: uuid */
      parent_organization_id: string;
      /** Format: date-time */
      updated_at: string;
    };
    /** Suggestion */
    Suggestion: {
      meanResults: number;
      query: string;
      searches: number;
    };
    /** Suggestions */
    Suggestions: {
      items: components['schemas']['Suggestion'][];
      prefix: string;
    };
    /** SyncFailure */
    SyncFailure: {
      errorCode: string;
      externalId: string;
      /** Format: date-time */
      seenAt: string;
    };
    /** SyncRequest */
    SyncRequest: {
      /** Format: uuid */
      connectorId: string;
      /** Format: date-time */
      requestedAt: string;
      syncPending: boolean;
    };
    /** SyncSummary */
    SyncSummary: {
      changed: number;
      failed: number;
      moved: number;
      new: number;
      reauthorized: number;
      removed: number;
      unchanged: number;
    };
    /** Synonym */
    Synonym: {
      expansions: string[];
      term: string;
    };
    /** Synonyms */
    Synonyms: {
      items: components['schemas']['Synonym'][];
    };
    /** TopQuery */
    TopQuery: {
      /** Format: date-time */
      lastSearchedAt: string;
      meanResults: number;
      query: string;
      searches: number;
    };
    /** TrafficAnalytics */
    TrafficAnalytics: {
      bucketId: string | null;
      dimension: string | null;
      from: string;
      /** @enum {string} */
      groupBy: 'value' | 'bucket' | 'organization';
      notices: components['schemas']['TrafficNotice'][];
      provisional: boolean;
      /** @enum {string} */
      resolution: 'hour' | 'day' | 'month';
      series: components['schemas']['TrafficSeries'][];
      timezone: string;
      to: string;
      topCountries: components['schemas']['CountryRequests'][];
      totals: components['schemas']['TrafficTotals'];
    };
    /** TrafficBreakdown */
    TrafficBreakdown: {
      bucketId: string | null;
      /** @enum {string} */
      by: 'organization' | 'dimension';
      dimension: string | null;
      month: string;
      provisional: boolean;
      rows: components['schemas']['TrafficBreakdownRow'][];
      timezone: string;
    };
    /** TrafficBreakdownRow */
    TrafficBreakdownRow: {
      bucket: string;
      /** Format: uuid */
      bucketId: string;
      bytes: number;
      cacheHits: number;
      cacheMisses: number;
      dimension: string;
      /** Format: uuid */
      organization: string;
      requests: number;
      value: string;
    };
    /** TrafficNotice */
    TrafficNotice: {
      dimension: string | null;
      from: string;
      /** @enum {string} */
      kind: 'ceiling_reached' | 'hours_missing' | 'logging_disabled';
      /** Format: uuid */
      organization: string;
      to: string;
    };
    /** TrafficSeries */
    TrafficSeries: {
      key: string;
      label?: string;
      points: number[][];
    };
    /** TrafficStatuses */
    TrafficStatuses: {
      '2xx': number;
      '3xx': number;
      '4xx': number;
      '5xx': number;
    };
    /** TrafficTotals */
    TrafficTotals: {
      bytes: number;
      cacheHits: number;
      cacheMisses: number;
      requests: number;
      status: components['schemas']['TrafficStatuses'];
    };
    /** Transcript */
    Transcript: {
      revision: number;
      segments: components['schemas']['Segment'][];
      warnings: components['schemas']['Warning'][];
    };
    /** UnavailableFile */
    UnavailableFile: {
      /** Format: uuid */
      assetId: string;
      code: string;
    };
    /** Upload */
    Upload: {
      /** Format: uuid */
      bucketId: string;
      contentType: string;
      /** Format: date-time */
      expiresAt: string;
      /** Format: uuid */
      id: string;
      key: string;
      object?: components['schemas']['StoredObject'];
      objectId: string | null;
      partCount: number;
      partSize: number;
      received: components['schemas']['ReceivedPart'][];
      size: number;
      /** @enum {string} */
      state: 'open' | 'completed' | 'aborted' | 'expired';
      /** Format: date-time */
      ticketExpiresAt: string;
      /** @description On uploads to a library: the video, null before there is one. */
      videoId?: string | null;
    };
    /** UploadPart */
    UploadPart: {
      number: number;
      size: number;
      url: string;
    };
    /** Usage */
    Usage: {
      currency: string | null;
      lines: components['schemas']['UsageLine'][];
      organizations?: components['schemas']['OrganizationUsage'][];
      payAsYouGo: boolean;
      period: components['schemas']['UsagePeriod'];
      plan: string | null;
      priced: boolean;
      processing: components['schemas']['ProcessingFigure'][];
      proration?: components['schemas']['Proration'];
      /** @enum {string} */
      scope: 'account' | 'organization';
      statementNumber: string | null;
      /** @enum {string} */
      status: 'open' | 'closed';
      total: number | null;
    };
    /** UsageAsset */
    UsageAsset: {
      /** Format: uuid */
      assetId: string;
      /** @description By metric; 0 for content that was charged before. */
      billed: {
        [key: string]: number;
      };
      /** Format: date-time */
      createdAt: string;
      deleted: boolean;
      duplicateOf: string | null;
      externalId: string;
      extractContentFromVideoFrames: boolean | null;
      filename: string;
      /** @enum {string} */
      kind: 'video' | 'audio' | 'document';
      /** Format: uuid */
      organizationId: string;
      /** @description By metric. */
      processing: {
        [key: string]: number;
      };
    };
    /** UsageAssets */
    UsageAssets: {
      items: components['schemas']['UsageAsset'][];
      period: components['schemas']['UsagePeriod'];
      total: number;
    };
    /** UsageLine */
    UsageLine: {
      amount: number | null;
      billable: number | null;
      /** @description The price key. */
      dimension: string;
      duplicatesNotCharged: number;
      included: number | null;
      label: string;
      lateFor?: string;
      listAmount: number | null;
      metric: string;
      priced: boolean;
      proration?: components['schemas']['ProratedDays'];
      quantity: number;
      unit: string;
      unitPrice: number | null;
    };
    /** UsagePeriod */
    UsagePeriod: {
      from: string;
      /**
       * @description `month`: exactly one calendar month.
       * @enum {string}
       */
      kind: 'month' | 'range';
      timeZone: string;
      /** @description The last day, included. */
      to: string;
    };
    /** Video */
    Video: {
      captions: Record<string, never>[];
      /** Format: date-time */
      createdAt: string;
      disabled: boolean;
      download: boolean;
      durationSeconds: number | null;
      encoding: components['schemas']['VideoEncoding'] | null;
      encodingMinutes: number | null;
      errorCode:
        | (
            | 'video_unreadable'
            | 'video_no_video_stream'
            | 'video_too_long'
            | 'video_resolution_unsupported'
            | 'video_source_missing'
            | 'upload_abandoned'
            | 'encoding_failed'
          )
        | null;
      hasAudio: boolean | null;
      height: number | null;
      /** Format: uuid */
      id: string;
      /** Format: uuid */
      libraryId: string;
      /** @description Texts, numbers and booleans, by key. */
      metadata: Record<string, never>;
      originalKept: boolean;
      playableAt: string | null;
      poster: boolean;
      readyAt: string | null;
      renditions: components['schemas']['VideoRendition'][];
      sourceKey: string;
      /** @enum {string} */
      status: 'uploading' | 'queued' | 'encoding' | 'playable' | 'ready' | 'failed';
      storedBytes: number;
      thumbnails: boolean;
      title: string;
      /** Format: date-time */
      updatedAt: string;
      /** Format: uuid */
      uploadId: string;
      width: number | null;
    };
    /** VideoEncoding */
    VideoEncoding: {
      download: boolean;
      keepOriginal: boolean;
      ladder: number[];
      origins: components['schemas']['ProcessingOrigins'];
      thumbnails: boolean;
    };
    /** VideoRendition */
    VideoRendition: {
      bandwidth: number;
      height: number;
      width: number;
    };
    /** Videos */
    Videos: {
      items: components['schemas']['Video'][];
      nextCursor: string | null;
    };
    /** VideoSettings */
    VideoSettings: {
      download: boolean;
      keepOriginal: boolean;
      ladder: (240 | 360 | 480 | 720 | 1080 | 1440 | 2160)[];
      thumbnails: boolean;
    };
    /** VideoSettingsOrigins */
    VideoSettingsOrigins: {
      /** @enum {string} */
      download: 'organization' | 'parent' | 'default';
      /** @enum {string} */
      keepOriginal: 'organization' | 'parent' | 'default';
      /** @enum {string} */
      ladder: 'organization' | 'parent' | 'default';
      /** @enum {string} */
      thumbnails: 'organization' | 'parent' | 'default';
    };
    /** VideoUpload */
    VideoUpload: {
      /** Format: uuid */
      bucketId: string;
      contentType: string;
      /** Format: date-time */
      expiresAt: string;
      /** Format: uuid */
      id: string;
      key: string;
      objectId: string | null;
      partCount: number;
      parts: components['schemas']['UploadPart'][];
      partSize: number;
      size: number;
      /** @enum {string} */
      state: 'open' | 'completed' | 'aborted' | 'expired';
      /** Format: date-time */
      ticketExpiresAt: string;
      ticketTtlSeconds: number;
      /** Format: uuid */
      videoId: string;
    };
    /** Warning */
    Warning: {
      code: string;
      detail: string;
    };
    /** Webhook */
    Webhook: {
      active: boolean;
      /** Format: date-time */
      createdAt: string;
      description: string | null;
      events: ('video.playable' | 'video.ready' | 'video.failed')[];
      /** Format: uuid */
      id: string;
      /** @description Until then requests are signed with the secret before the last rotation too. */
      previousSecretExpiresAt: string | null;
      /** @description The key of signatures, as Standard Webhooks writes it. In the answers of creation and rotation only. */
      secret?: string;
      secretRotatedAt: string | null;
      /** Format: date-time */
      updatedAt: string;
      url: string;
    };
    /** WebhookDeliveries */
    WebhookDeliveries: {
      items: components['schemas']['WebhookDelivery'][];
      nextCursor: string | null;
    };
    /** WebhookDelivery */
    WebhookDelivery: {
      /** @description Attempts that have ended. */
      attempts: number;
      /** Format: date-time */
      createdAt: string;
      deliveredAt: string | null;
      /** @enum {string} */
      event: 'video.playable' | 'video.ready' | 'video.failed' | 'webhook.ping';
      /** Format: uuid */
      id: string;
      lastError:
        ('timeout' | 'dns_failed' | 'address_not_allowed' | 'connection_failed' | 'tls_failed' | 'status') | null;
      lastStatus: number | null;
      nextAttemptAt: string | null;
      /** @enum {string} */
      state: 'pending' | 'delivered' | 'failed';
      videoId: string | null;
      /** Format: uuid */
      webhookId: string;
    };
    /** Webhooks */
    Webhooks: {
      items: components['schemas']['Webhook'][];
    };
  };
  responses: never;
  parameters: {
    /** @description The organization that the request applies to. */
    Organization: string;
  };
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  readAccountAudit: {
    parameters: {
      query?: {
        before?: string;
        limit?: number;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuditRows'];
        };
      };
    };
  };
  listActivity: {
    parameters: {
      query?: {
        asReader?: boolean;
        bucketId?: string;
        connectorId?: string;
        createdAfter?: string;
        createdBefore?: string;
        cursor?: string;
        kind?: components['schemas']['Kind'];
        limit?: number;
        offset?: number;
        order?: 'created' | 'filename';
        principals?: string[];
        q?: string;
        state?: string;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Activity'];
        };
      };
    };
  };
  readTrafficAnalytics: {
    parameters: {
      query: {
        bucketId?: string;
        dimension?: string;
        from: string;
        groupBy?: 'value' | 'bucket' | 'organization';
        to: string;
        top?: number;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TrafficAnalytics'];
        };
      };
    };
  };
  readTrafficBreakdown: {
    parameters: {
      query: {
        bucketId?: string;
        by?: 'organization' | 'dimension';
        dimension?: string;
        format?: 'json' | 'csv';
        month: string;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TrafficBreakdown'];
          'text/csv; charset=utf-8': string;
        };
      };
    };
  };
  readLibraryHealth: {
    parameters: {
      query?: {
        limit?: number;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LibraryHealth'];
        };
      };
    };
  };
  readSearchAnalytics: {
    parameters: {
      query?: {
        days?: number;
        limit?: number;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SearchAnalytics'];
        };
      };
    };
  };
  answer: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          filter?: components['schemas']['SearchFilter'];
          /** @enum {string} */
          group?: 'file';
          kind?: components['schemas']['Kind'];
          /** @default 20 */
          limit?: number;
          /** @default 0 */
          offset?: number;
          principals?: string[];
          query: string;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Answer'];
        };
      };
    };
  };
  listAssets: {
    parameters: {
      query?: {
        limit?: number;
        offset?: number;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Assets'];
        };
      };
    };
  };
  registerAsset: {
    parameters: {
      query?: never;
      header: {
        /** @description The same key and body within 24 hours get the first answer again. */
        'Idempotency-Key'?: string;
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['Registration'];
      };
    };
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Accepted'];
        };
      };
    };
  };
  readAsset: {
    parameters: {
      query?: {
        asReader?: boolean;
        principals?: string[];
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        assetId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Asset'];
        };
      };
    };
  };
  removeAsset: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        assetId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Accepted'];
        };
      };
    };
  };
  listAssetJobs: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        assetId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Jobs'];
        };
      };
    };
  };
  readMetadata: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        assetId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Metadata'];
        };
      };
    };
  };
  writeMetadata: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        assetId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          metadata: {
            [key: string]: string | number | boolean | (string | number | boolean)[];
          };
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Metadata'];
        };
      };
    };
  };
  listPassages: {
    parameters: {
      query?: {
        asReader?: boolean;
        from?: number;
        limit?: number;
        principals?: string[];
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        assetId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FilePassages'];
        };
      };
    };
  };
  readPermissions: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        assetId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Permissions'];
        };
      };
    };
  };
  writePermissions: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        assetId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @enum {string} */
          mode: 'open' | 'restricted';
          principals?: string[];
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Permissions'];
        };
      };
    };
  };
  playAsset: {
    parameters: {
      query?: {
        asReader?: boolean;
        principals?: string[];
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        assetId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PlaybackLink'];
        };
      };
    };
  };
  reindexAsset: {
    parameters: {
      query?: never;
      header: {
        /** @description The same key and body within 24 hours get the first answer again. */
        'Idempotency-Key': string;
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        assetId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Accepted'];
        };
      };
    };
  };
  listRelated: {
    parameters: {
      query?: {
        limit?: number;
        principals?: string[];
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        assetId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RelatedFiles'];
        };
      };
    };
  };
  giveSourceAccess: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        assetId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          sasToken?: string;
          url: string;
        };
      };
    };
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResumedJobs'];
        };
      };
    };
  };
  readTranscript: {
    parameters: {
      query?: {
        asReader?: boolean;
        principals?: string[];
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        assetId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Transcript'];
        };
      };
    };
  };
  correctTranscript: {
    parameters: {
      query?: never;
      header: {
        /** @description The same key and body within 24 hours get the first answer again. */
        'Idempotency-Key'?: string;
        'If-Match': string;
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        assetId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          segments: {
            id: string;
            text: string;
          }[];
        };
      };
    };
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Accepted'];
        };
      };
    };
  };
  listAuditLog: {
    parameters: {
      query?: {
        action?: string;
        cursor?: string;
        from?: string;
        limit?: number;
        resourceId?: string;
        to?: string;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuditLog'];
        };
      };
    };
  };
  checkBucketName: {
    parameters: {
      query: {
        name: string;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BucketName'];
        };
      };
    };
  };
  listBuckets: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Buckets'];
        };
      };
    };
  };
  createBucket: {
    parameters: {
      query?: never;
      header: {
        /** @description The same key and body within 24 hours get the first answer again. */
        'Idempotency-Key': string;
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          name: string;
          region: string;
          /** @default false */
          strictResidency?: boolean;
          /**
           * @default private
           * @enum {string}
           */
          visibility?: 'private' | 'public';
        };
      };
    };
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Bucket'];
        };
      };
    };
  };
  readBucket: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        bucketId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Bucket'];
        };
      };
    };
  };
  removeBucket: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        bucketId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Bucket'];
        };
      };
    };
  };
  changeBucket: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        bucketId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          analytics?: {
            ceiling?: number | null;
            dimensions?: {
              index?: number;
              name: string;
              param?: string;
              pattern?: string;
              tag?: string;
              /** @enum {string} */
              type: 'pathSegment' | 'queryParam' | 'tag' | 'pattern';
            }[];
            enabled?: boolean;
          };
          cache?: {
            browserCacheControl?: string | null;
            edgeTtlSeconds?: number | null;
            rules?:
              | {
                  browserCacheControl?: string;
                  edgeTtlSeconds?: number;
                  extensions?: string[];
                  pathPrefix?: string;
                }[]
              | null;
          };
          cors?: {
            allowCredentials?: boolean;
            allowedHeaders?: string[] | null;
            allowedMethods?: ('GET' | 'HEAD')[] | null;
            allowedOrigins?: string[] | null;
            exposeHeaders?: string[] | null;
            maxAgeSeconds?: number | null;
          };
          delivery?: {
            allowedDomains?: string[] | null;
            blockNoReferrer?: boolean;
            countriesAllow?:
              | (
                  | 'AD'
                  | 'AE'
                  | 'AF'
                  | 'AG'
                  | 'AI'
                  | 'AL'
                  | 'AM'
                  | 'AO'
                  | 'AQ'
                  | 'AR'
                  | 'AS'
                  | 'AT'
                  | 'AU'
                  | 'AW'
                  | 'AX'
                  | 'AZ'
                  | 'BA'
                  | 'BB'
                  | 'BD'
                  | 'BE'
                  | 'BF'
                  | 'BG'
                  | 'BH'
                  | 'BI'
                  | 'BJ'
                  | 'BL'
                  | 'BM'
                  | 'BN'
                  | 'BO'
                  | 'BQ'
                  | 'BR'
                  | 'BS'
                  | 'BT'
                  | 'BV'
                  | 'BW'
                  | 'BY'
                  | 'BZ'
                  | 'CA'
                  | 'CC'
                  | 'CD'
                  | 'CF'
                  | 'CG'
                  | 'CH'
                  | 'CI'
                  | 'CK'
                  | 'CL'
                  | 'CM'
                  | 'CN'
                  | 'CO'
                  | 'CR'
                  | 'CU'
                  | 'CV'
                  | 'CW'
                  | 'CX'
                  | 'CY'
                  | 'CZ'
                  | 'DE'
                  | 'DJ'
                  | 'DK'
                  | 'DM'
                  | 'DO'
                  | 'DZ'
                  | 'EC'
                  | 'EE'
                  | 'EG'
                  | 'EH'
                  | 'ER'
                  | 'ES'
                  | 'ET'
                  | 'FI'
                  | 'FJ'
                  | 'FK'
                  | 'FM'
                  | 'FO'
                  | 'FR'
                  | 'GA'
                  | 'GB'
                  | 'GD'
                  | 'GE'
                  | 'GF'
                  | 'GG'
                  | 'GH'
                  | 'GI'
                  | 'GL'
                  | 'GM'
                  | 'GN'
                  | 'GP'
                  | 'GQ'
                  | 'GR'
                  | 'GS'
                  | 'GT'
                  | 'GU'
                  | 'GW'
                  | 'GY'
                  | 'HK'
                  | 'HM'
                  | 'HN'
                  | 'HR'
                  | 'HT'
                  | 'HU'
                  | 'ID'
                  | 'IE'
                  | 'IL'
                  | 'IM'
                  | 'IN'
                  | 'IO'
                  | 'IQ'
                  | 'IR'
                  | 'IS'
                  | 'IT'
                  | 'JE'
                  | 'JM'
                  | 'JO'
                  | 'JP'
                  | 'KE'
                  | 'KG'
                  | 'KH'
                  | 'KI'
                  | 'KM'
                  | 'KN'
                  | 'KP'
                  | 'KR'
                  | 'KW'
                  | 'KY'
                  | 'KZ'
                  | 'LA'
                  | 'LB'
                  | 'LC'
                  | 'LI'
                  | 'LK'
                  | 'LR'
                  | 'LS'
                  | 'LT'
                  | 'LU'
                  | 'LV'
                  | 'LY'
                  | 'MA'
                  | 'MC'
                  | 'MD'
                  | 'ME'
                  | 'MF'
                  | 'MG'
                  | 'MH'
                  | 'MK'
                  | 'ML'
                  | 'MM'
                  | 'MN'
                  | 'MO'
                  | 'MP'
                  | 'MQ'
                  | 'MR'
                  | 'MS'
                  | 'MT'
                  | 'MU'
                  | 'MV'
                  | 'MW'
                  | 'MX'
                  | 'MY'
                  | 'MZ'
                  | 'NA'
                  | 'NC'
                  | 'NE'
                  | 'NF'
                  | 'NG'
                  | 'NI'
                  | 'NL'
                  | 'NO'
                  | 'NP'
                  | 'NR'
                  | 'NU'
                  | 'NZ'
                  | 'OM'
                  | 'PA'
                  | 'PE'
                  | 'PF'
                  | 'PG'
                  | 'PH'
                  | 'PK'
                  | 'PL'
                  | 'PM'
                  | 'PN'
                  | 'PR'
                  | 'PS'
                  | 'PT'
                  | 'PW'
                  | 'PY'
                  | 'QA'
                  | 'RE'
                  | 'RO'
                  | 'RS'
                  | 'RU'
                  | 'RW'
                  | 'SA'
                  | 'SB'
                  | 'SC'
                  | 'SD'
                  | 'SE'
                  | 'SG'
                  | 'SH'
                  | 'SI'
                  | 'SJ'
                  | 'SK'
                  | 'SL'
                  | 'SM'
                  | 'SN'
                  | 'SO'
                  | 'SR'
                  | 'SS'
                  | 'ST'
                  | 'SV'
                  | 'SX'
                  | 'SY'
                  | 'SZ'
                  | 'TC'
                  | 'TD'
                  | 'TF'
                  | 'TG'
                  | 'TH'
                  | 'TJ'
                  | 'TK'
                  | 'TL'
                  | 'TM'
                  | 'TN'
                  | 'TO'
                  | 'TR'
                  | 'TT'
                  | 'TV'
                  | 'TW'
                  | 'TZ'
                  | 'UA'
                  | 'UG'
                  | 'UM'
                  | 'US'
                  | 'UY'
                  | 'UZ'
                  | 'VA'
                  | 'VC'
                  | 'VE'
                  | 'VG'
                  | 'VI'
                  | 'VN'
                  | 'VU'
                  | 'WF'
                  | 'WS'
                  | 'YE'
                  | 'YT'
                  | 'ZA'
                  | 'ZM'
                  | 'ZW'
                  | 'XK'
                )[]
              | null;
            countriesBlock?:
              | (
                  | 'AD'
                  | 'AE'
                  | 'AF'
                  | 'AG'
                  | 'AI'
                  | 'AL'
                  | 'AM'
                  | 'AO'
                  | 'AQ'
                  | 'AR'
                  | 'AS'
                  | 'AT'
                  | 'AU'
                  | 'AW'
                  | 'AX'
                  | 'AZ'
                  | 'BA'
                  | 'BB'
                  | 'BD'
                  | 'BE'
                  | 'BF'
                  | 'BG'
                  | 'BH'
                  | 'BI'
                  | 'BJ'
                  | 'BL'
                  | 'BM'
                  | 'BN'
                  | 'BO'
                  | 'BQ'
                  | 'BR'
                  | 'BS'
                  | 'BT'
                  | 'BV'
                  | 'BW'
                  | 'BY'
                  | 'BZ'
                  | 'CA'
                  | 'CC'
                  | 'CD'
                  | 'CF'
                  | 'CG'
                  | 'CH'
                  | 'CI'
                  | 'CK'
                  | 'CL'
                  | 'CM'
                  | 'CN'
                  | 'CO'
                  | 'CR'
                  | 'CU'
                  | 'CV'
                  | 'CW'
                  | 'CX'
                  | 'CY'
                  | 'CZ'
                  | 'DE'
                  | 'DJ'
                  | 'DK'
                  | 'DM'
                  | 'DO'
                  | 'DZ'
                  | 'EC'
                  | 'EE'
                  | 'EG'
                  | 'EH'
                  | 'ER'
                  | 'ES'
                  | 'ET'
                  | 'FI'
                  | 'FJ'
                  | 'FK'
                  | 'FM'
                  | 'FO'
                  | 'FR'
                  | 'GA'
                  | 'GB'
                  | 'GD'
                  | 'GE'
                  | 'GF'
                  | 'GG'
                  | 'GH'
                  | 'GI'
                  | 'GL'
                  | 'GM'
                  | 'GN'
                  | 'GP'
                  | 'GQ'
                  | 'GR'
                  | 'GS'
                  | 'GT'
                  | 'GU'
                  | 'GW'
                  | 'GY'
                  | 'HK'
                  | 'HM'
                  | 'HN'
                  | 'HR'
                  | 'HT'
                  | 'HU'
                  | 'ID'
                  | 'IE'
                  | 'IL'
                  | 'IM'
                  | 'IN'
                  | 'IO'
                  | 'IQ'
                  | 'IR'
                  | 'IS'
                  | 'IT'
                  | 'JE'
                  | 'JM'
                  | 'JO'
                  | 'JP'
                  | 'KE'
                  | 'KG'
                  | 'KH'
                  | 'KI'
                  | 'KM'
                  | 'KN'
                  | 'KP'
                  | 'KR'
                  | 'KW'
                  | 'KY'
                  | 'KZ'
                  | 'LA'
                  | 'LB'
                  | 'LC'
                  | 'LI'
                  | 'LK'
                  | 'LR'
                  | 'LS'
                  | 'LT'
                  | 'LU'
                  | 'LV'
                  | 'LY'
                  | 'MA'
                  | 'MC'
                  | 'MD'
                  | 'ME'
                  | 'MF'
                  | 'MG'
                  | 'MH'
                  | 'MK'
                  | 'ML'
                  | 'MM'
                  | 'MN'
                  | 'MO'
                  | 'MP'
                  | 'MQ'
                  | 'MR'
                  | 'MS'
                  | 'MT'
                  | 'MU'
                  | 'MV'
                  | 'MW'
                  | 'MX'
                  | 'MY'
                  | 'MZ'
                  | 'NA'
                  | 'NC'
                  | 'NE'
                  | 'NF'
                  | 'NG'
                  | 'NI'
                  | 'NL'
                  | 'NO'
                  | 'NP'
                  | 'NR'
                  | 'NU'
                  | 'NZ'
                  | 'OM'
                  | 'PA'
                  | 'PE'
                  | 'PF'
                  | 'PG'
                  | 'PH'
                  | 'PK'
                  | 'PL'
                  | 'PM'
                  | 'PN'
                  | 'PR'
                  | 'PS'
                  | 'PT'
                  | 'PW'
                  | 'PY'
                  | 'QA'
                  | 'RE'
                  | 'RO'
                  | 'RS'
                  | 'RU'
                  | 'RW'
                  | 'SA'
                  | 'SB'
                  | 'SC'
                  | 'SD'
                  | 'SE'
                  | 'SG'
                  | 'SH'
                  | 'SI'
                  | 'SJ'
                  | 'SK'
                  | 'SL'
                  | 'SM'
                  | 'SN'
                  | 'SO'
                  | 'SR'
                  | 'SS'
                  | 'ST'
                  | 'SV'
                  | 'SX'
                  | 'SY'
                  | 'SZ'
                  | 'TC'
                  | 'TD'
                  | 'TF'
                  | 'TG'
                  | 'TH'
                  | 'TJ'
                  | 'TK'
                  | 'TL'
                  | 'TM'
                  | 'TN'
                  | 'TO'
                  | 'TR'
                  | 'TT'
                  | 'TV'
                  | 'TW'
                  | 'TZ'
                  | 'UA'
                  | 'UG'
                  | 'UM'
                  | 'US'
                  | 'UY'
                  | 'UZ'
                  | 'VA'
                  | 'VC'
                  | 'VE'
                  | 'VG'
                  | 'VI'
                  | 'VN'
                  | 'VU'
                  | 'WF'
                  | 'WS'
                  | 'YE'
                  | 'YT'
                  | 'ZA'
                  | 'ZM'
                  | 'ZW'
                  | 'XK'
                )[]
              | null;
            ipBinding?: boolean;
            linkTtlSeconds?: number | null;
            rateLimitKbps?: number | null;
          };
          uploadRules?: {
            allowedTypes?: string[] | null;
            allowOverwrite?: boolean;
            maxObjectBytes?: number | null;
          };
          /** @enum {string} */
          visibility?: 'private' | 'public';
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Bucket'];
        };
      };
    };
  };
  previewAnalyticsRule: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        bucketId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          rule: {
            index?: number;
            name: string;
            param?: string;
            pattern?: string;
            tag?: string;
            /** @enum {string} */
            type: 'pathSegment' | 'queryParam' | 'tag' | 'pattern';
          };
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AnalyticsPreview'];
        };
      };
    };
  };
  listObjects: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        prefix?: string;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        bucketId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StoredObjects'];
        };
      };
    };
  };
  createPurge: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        bucketId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @constant */
          all?: true;
          prefixes?: string[];
          urls?: string[];
        } & (unknown | unknown | unknown);
      };
    };
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Purge'];
        };
      };
    };
  };
  restoreBucket: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        bucketId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Bucket'];
        };
      };
    };
  };
  retryBucket: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        bucketId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Bucket'];
        };
      };
    };
  };
  rotateSigningKey: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        bucketId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SigningProfile'];
        };
      };
    };
  };
  readSigningProfile: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        bucketId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SigningProfile'];
        };
      };
    };
  };
  startUpload: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        bucketId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          contentType: string;
          key: string;
          sha256?: string | null;
          size: number;
        };
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FreshUpload'];
        };
      };
    };
  };
  readCapabilities: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Capabilities'];
        };
      };
    };
  };
  listCollections: {
    parameters: {
      query?: {
        limit?: number;
        offset?: number;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Collections'];
        };
      };
    };
  };
  createCollection: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          documents: string[];
          name: string;
        };
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedCollection'];
        };
      };
    };
  };
  writeCollection: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        externalId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          externalId?: string;
          metadata?: {
            [key: string]: string | number | boolean | (string | number | boolean)[];
          };
          name: string;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Collection'];
        };
      };
    };
  };
  removeCollection: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        externalId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  changeCollectionAssets: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        externalId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          add?: string[];
          remove?: string[];
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CollectionCount'];
        };
      };
    };
  };
  listConnectors: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Connectors'];
        };
      };
    };
  };
  createConnector: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json':
          | components['schemas']['S3ConnectorInput']
          | components['schemas']['AzureBlobConnectorInput']
          | components['schemas']['CanvasConnectorInput'];
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Connector'];
        };
      };
    };
  };
  readConnector: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        connectorId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Connector'];
        };
      };
    };
  };
  replaceConnector: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        connectorId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json':
          | components['schemas']['S3ConnectorInput']
          | components['schemas']['AzureBlobConnectorInput']
          | components['schemas']['CanvasConnectorInput'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Connector'];
        };
      };
    };
  };
  removeConnector: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        connectorId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  requestSync: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        connectorId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SyncRequest'];
        };
      };
    };
  };
  readDeliveryAnalytics: {
    parameters: {
      query: {
        bucketId?: string;
        from: string;
        to: string;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeliveryAnalytics'];
        };
      };
    };
  };
  listDomains: {
    parameters: {
      query?: {
        bucketId?: string;
        cursor?: string;
        limit?: number;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Domains'];
        };
      };
    };
  };
  addDomain: {
    parameters: {
      query?: never;
      header: {
        /** @description The same key and body within 24 hours get the first answer again. */
        'Idempotency-Key': string;
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** Format: uuid */
          bucketId: string;
          hostname: string;
        };
      };
    };
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Domain'];
        };
      };
    };
  };
  readDomain: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        domainId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Domain'];
        };
      };
    };
  };
  removeDomain: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        domainId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  checkDomain: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        domainId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Domain'];
        };
      };
    };
  };
  importAssets: {
    parameters: {
      query?: never;
      header: {
        /** @description The same key and body within 24 hours get the first answer again. */
        'Idempotency-Key'?: string;
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          assets: components['schemas']['Registration'][];
        };
      };
    };
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Import'];
        };
      };
    };
  };
  readImport: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        importId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ImportState'];
        };
      };
    };
  };
  readJob: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Job'];
        };
      };
    };
  };
  cancelJob: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        jobId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CancelledJob'];
        };
      };
    };
  };
  listLibraries: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Libraries'];
        };
      };
    };
  };
  createLibrary: {
    parameters: {
      query?: never;
      header: {
        /** @description The same key and body within 24 hours get the first answer again. */
        'Idempotency-Key': string;
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          delivery?: {
            allowedDomains?: string[] | null;
            blockNoReferrer?: boolean;
            countriesAllow?:
              | (
                  | 'AD'
                  | 'AE'
                  | 'AF'
                  | 'AG'
                  | 'AI'
                  | 'AL'
                  | 'AM'
                  | 'AO'
                  | 'AQ'
                  | 'AR'
                  | 'AS'
                  | 'AT'
                  | 'AU'
                  | 'AW'
                  | 'AX'
                  | 'AZ'
                  | 'BA'
                  | 'BB'
                  | 'BD'
                  | 'BE'
                  | 'BF'
                  | 'BG'
                  | 'BH'
                  | 'BI'
                  | 'BJ'
                  | 'BL'
                  | 'BM'
                  | 'BN'
                  | 'BO'
                  | 'BQ'
                  | 'BR'
                  | 'BS'
                  | 'BT'
                  | 'BV'
                  | 'BW'
                  | 'BY'
                  | 'BZ'
                  | 'CA'
                  | 'CC'
                  | 'CD'
                  | 'CF'
                  | 'CG'
                  | 'CH'
                  | 'CI'
                  | 'CK'
                  | 'CL'
                  | 'CM'
                  | 'CN'
                  | 'CO'
                  | 'CR'
                  | 'CU'
                  | 'CV'
                  | 'CW'
                  | 'CX'
                  | 'CY'
                  | 'CZ'
                  | 'DE'
                  | 'DJ'
                  | 'DK'
                  | 'DM'
                  | 'DO'
                  | 'DZ'
                  | 'EC'
                  | 'EE'
                  | 'EG'
                  | 'EH'
                  | 'ER'
                  | 'ES'
                  | 'ET'
                  | 'FI'
                  | 'FJ'
                  | 'FK'
                  | 'FM'
                  | 'FO'
                  | 'FR'
                  | 'GA'
                  | 'GB'
                  | 'GD'
                  | 'GE'
                  | 'GF'
                  | 'GG'
                  | 'GH'
                  | 'GI'
                  | 'GL'
                  | 'GM'
                  | 'GN'
                  | 'GP'
                  | 'GQ'
                  | 'GR'
                  | 'GS'
                  | 'GT'
                  | 'GU'
                  | 'GW'
                  | 'GY'
                  | 'HK'
                  | 'HM'
                  | 'HN'
                  | 'HR'
                  | 'HT'
                  | 'HU'
                  | 'ID'
                  | 'IE'
                  | 'IL'
                  | 'IM'
                  | 'IN'
                  | 'IO'
                  | 'IQ'
                  | 'IR'
                  | 'IS'
                  | 'IT'
                  | 'JE'
                  | 'JM'
                  | 'JO'
                  | 'JP'
                  | 'KE'
                  | 'KG'
                  | 'KH'
                  | 'KI'
                  | 'KM'
                  | 'KN'
                  | 'KP'
                  | 'KR'
                  | 'KW'
                  | 'KY'
                  | 'KZ'
                  | 'LA'
                  | 'LB'
                  | 'LC'
                  | 'LI'
                  | 'LK'
                  | 'LR'
                  | 'LS'
                  | 'LT'
                  | 'LU'
                  | 'LV'
                  | 'LY'
                  | 'MA'
                  | 'MC'
                  | 'MD'
                  | 'ME'
                  | 'MF'
                  | 'MG'
                  | 'MH'
                  | 'MK'
                  | 'ML'
                  | 'MM'
                  | 'MN'
                  | 'MO'
                  | 'MP'
                  | 'MQ'
                  | 'MR'
                  | 'MS'
                  | 'MT'
                  | 'MU'
                  | 'MV'
                  | 'MW'
                  | 'MX'
                  | 'MY'
                  | 'MZ'
                  | 'NA'
                  | 'NC'
                  | 'NE'
                  | 'NF'
                  | 'NG'
                  | 'NI'
                  | 'NL'
                  | 'NO'
                  | 'NP'
                  | 'NR'
                  | 'NU'
                  | 'NZ'
                  | 'OM'
                  | 'PA'
                  | 'PE'
                  | 'PF'
                  | 'PG'
                  | 'PH'
                  | 'PK'
                  | 'PL'
                  | 'PM'
                  | 'PN'
                  | 'PR'
                  | 'PS'
                  | 'PT'
                  | 'PW'
                  | 'PY'
                  | 'QA'
                  | 'RE'
                  | 'RO'
                  | 'RS'
                  | 'RU'
                  | 'RW'
                  | 'SA'
                  | 'SB'
                  | 'SC'
                  | 'SD'
                  | 'SE'
                  | 'SG'
                  | 'SH'
                  | 'SI'
                  | 'SJ'
                  | 'SK'
                  | 'SL'
                  | 'SM'
                  | 'SN'
                  | 'SO'
                  | 'SR'
                  | 'SS'
                  | 'ST'
                  | 'SV'
                  | 'SX'
                  | 'SY'
                  | 'SZ'
                  | 'TC'
                  | 'TD'
                  | 'TF'
                  | 'TG'
                  | 'TH'
                  | 'TJ'
                  | 'TK'
                  | 'TL'
                  | 'TM'
                  | 'TN'
                  | 'TO'
                  | 'TR'
                  | 'TT'
                  | 'TV'
                  | 'TW'
                  | 'TZ'
                  | 'UA'
                  | 'UG'
                  | 'UM'
                  | 'US'
                  | 'UY'
                  | 'UZ'
                  | 'VA'
                  | 'VC'
                  | 'VE'
                  | 'VG'
                  | 'VI'
                  | 'VN'
                  | 'VU'
                  | 'WF'
                  | 'WS'
                  | 'YE'
                  | 'YT'
                  | 'ZA'
                  | 'ZM'
                  | 'ZW'
                  | 'XK'
                )[]
              | null;
            countriesBlock?:
              | (
                  | 'AD'
                  | 'AE'
                  | 'AF'
                  | 'AG'
                  | 'AI'
                  | 'AL'
                  | 'AM'
                  | 'AO'
                  | 'AQ'
                  | 'AR'
                  | 'AS'
                  | 'AT'
                  | 'AU'
                  | 'AW'
                  | 'AX'
                  | 'AZ'
                  | 'BA'
                  | 'BB'
                  | 'BD'
                  | 'BE'
                  | 'BF'
                  | 'BG'
                  | 'BH'
                  | 'BI'
                  | 'BJ'
                  | 'BL'
                  | 'BM'
                  | 'BN'
                  | 'BO'
                  | 'BQ'
                  | 'BR'
                  | 'BS'
                  | 'BT'
                  | 'BV'
                  | 'BW'
                  | 'BY'
                  | 'BZ'
                  | 'CA'
                  | 'CC'
                  | 'CD'
                  | 'CF'
                  | 'CG'
                  | 'CH'
                  | 'CI'
                  | 'CK'
                  | 'CL'
                  | 'CM'
                  | 'CN'
                  | 'CO'
                  | 'CR'
                  | 'CU'
                  | 'CV'
                  | 'CW'
                  | 'CX'
                  | 'CY'
                  | 'CZ'
                  | 'DE'
                  | 'DJ'
                  | 'DK'
                  | 'DM'
                  | 'DO'
                  | 'DZ'
                  | 'EC'
                  | 'EE'
                  | 'EG'
                  | 'EH'
                  | 'ER'
                  | 'ES'
                  | 'ET'
                  | 'FI'
                  | 'FJ'
                  | 'FK'
                  | 'FM'
                  | 'FO'
                  | 'FR'
                  | 'GA'
                  | 'GB'
                  | 'GD'
                  | 'GE'
                  | 'GF'
                  | 'GG'
                  | 'GH'
                  | 'GI'
                  | 'GL'
                  | 'GM'
                  | 'GN'
                  | 'GP'
                  | 'GQ'
                  | 'GR'
                  | 'GS'
                  | 'GT'
                  | 'GU'
                  | 'GW'
                  | 'GY'
                  | 'HK'
                  | 'HM'
                  | 'HN'
                  | 'HR'
                  | 'HT'
                  | 'HU'
                  | 'ID'
                  | 'IE'
                  | 'IL'
                  | 'IM'
                  | 'IN'
                  | 'IO'
                  | 'IQ'
                  | 'IR'
                  | 'IS'
                  | 'IT'
                  | 'JE'
                  | 'JM'
                  | 'JO'
                  | 'JP'
                  | 'KE'
                  | 'KG'
                  | 'KH'
                  | 'KI'
                  | 'KM'
                  | 'KN'
                  | 'KP'
                  | 'KR'
                  | 'KW'
                  | 'KY'
                  | 'KZ'
                  | 'LA'
                  | 'LB'
                  | 'LC'
                  | 'LI'
                  | 'LK'
                  | 'LR'
                  | 'LS'
                  | 'LT'
                  | 'LU'
                  | 'LV'
                  | 'LY'
                  | 'MA'
                  | 'MC'
                  | 'MD'
                  | 'ME'
                  | 'MF'
                  | 'MG'
                  | 'MH'
                  | 'MK'
                  | 'ML'
                  | 'MM'
                  | 'MN'
                  | 'MO'
                  | 'MP'
                  | 'MQ'
                  | 'MR'
                  | 'MS'
                  | 'MT'
                  | 'MU'
                  | 'MV'
                  | 'MW'
                  | 'MX'
                  | 'MY'
                  | 'MZ'
                  | 'NA'
                  | 'NC'
                  | 'NE'
                  | 'NF'
                  | 'NG'
                  | 'NI'
                  | 'NL'
                  | 'NO'
                  | 'NP'
                  | 'NR'
                  | 'NU'
                  | 'NZ'
                  | 'OM'
                  | 'PA'
                  | 'PE'
                  | 'PF'
                  | 'PG'
                  | 'PH'
                  | 'PK'
                  | 'PL'
                  | 'PM'
                  | 'PN'
                  | 'PR'
                  | 'PS'
                  | 'PT'
                  | 'PW'
                  | 'PY'
                  | 'QA'
                  | 'RE'
                  | 'RO'
                  | 'RS'
                  | 'RU'
                  | 'RW'
                  | 'SA'
                  | 'SB'
                  | 'SC'
                  | 'SD'
                  | 'SE'
                  | 'SG'
                  | 'SH'
                  | 'SI'
                  | 'SJ'
                  | 'SK'
                  | 'SL'
                  | 'SM'
                  | 'SN'
                  | 'SO'
                  | 'SR'
                  | 'SS'
                  | 'ST'
                  | 'SV'
                  | 'SX'
                  | 'SY'
                  | 'SZ'
                  | 'TC'
                  | 'TD'
                  | 'TF'
                  | 'TG'
                  | 'TH'
                  | 'TJ'
                  | 'TK'
                  | 'TL'
                  | 'TM'
                  | 'TN'
                  | 'TO'
                  | 'TR'
                  | 'TT'
                  | 'TV'
                  | 'TW'
                  | 'TZ'
                  | 'UA'
                  | 'UG'
                  | 'UM'
                  | 'US'
                  | 'UY'
                  | 'UZ'
                  | 'VA'
                  | 'VC'
                  | 'VE'
                  | 'VG'
                  | 'VI'
                  | 'VN'
                  | 'VU'
                  | 'WF'
                  | 'WS'
                  | 'YE'
                  | 'YT'
                  | 'ZA'
                  | 'ZM'
                  | 'ZW'
                  | 'XK'
                )[]
              | null;
            ipBinding?: boolean;
            linkTtlSeconds?: number | null;
            rateLimitKbps?: number | null;
          };
          maxObjectBytes?: number | null;
          name: string;
          processing?: {
            download?: boolean;
            keepOriginal?: boolean;
            ladder?: (240 | 360 | 480 | 720 | 1080 | 1440 | 2160)[];
            thumbnails?: boolean;
          } | null;
          region: string;
          /** @default false */
          strictResidency?: boolean;
        };
      };
    };
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Library'];
        };
      };
    };
  };
  readLibrary: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        libraryId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Library'];
        };
      };
    };
  };
  removeLibrary: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        libraryId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Library'];
        };
      };
    };
  };
  changeLibrary: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        libraryId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          delivery?: {
            allowedDomains?: string[] | null;
            blockNoReferrer?: boolean;
            countriesAllow?:
              | (
                  | 'AD'
                  | 'AE'
                  | 'AF'
                  | 'AG'
                  | 'AI'
                  | 'AL'
                  | 'AM'
                  | 'AO'
                  | 'AQ'
                  | 'AR'
                  | 'AS'
                  | 'AT'
                  | 'AU'
                  | 'AW'
                  | 'AX'
                  | 'AZ'
                  | 'BA'
                  | 'BB'
                  | 'BD'
                  | 'BE'
                  | 'BF'
                  | 'BG'
                  | 'BH'
                  | 'BI'
                  | 'BJ'
                  | 'BL'
                  | 'BM'
                  | 'BN'
                  | 'BO'
                  | 'BQ'
                  | 'BR'
                  | 'BS'
                  | 'BT'
                  | 'BV'
                  | 'BW'
                  | 'BY'
                  | 'BZ'
                  | 'CA'
                  | 'CC'
                  | 'CD'
                  | 'CF'
                  | 'CG'
                  | 'CH'
                  | 'CI'
                  | 'CK'
                  | 'CL'
                  | 'CM'
                  | 'CN'
                  | 'CO'
                  | 'CR'
                  | 'CU'
                  | 'CV'
                  | 'CW'
                  | 'CX'
                  | 'CY'
                  | 'CZ'
                  | 'DE'
                  | 'DJ'
                  | 'DK'
                  | 'DM'
                  | 'DO'
                  | 'DZ'
                  | 'EC'
                  | 'EE'
                  | 'EG'
                  | 'EH'
                  | 'ER'
                  | 'ES'
                  | 'ET'
                  | 'FI'
                  | 'FJ'
                  | 'FK'
                  | 'FM'
                  | 'FO'
                  | 'FR'
                  | 'GA'
                  | 'GB'
                  | 'GD'
                  | 'GE'
                  | 'GF'
                  | 'GG'
                  | 'GH'
                  | 'GI'
                  | 'GL'
                  | 'GM'
                  | 'GN'
                  | 'GP'
                  | 'GQ'
                  | 'GR'
                  | 'GS'
                  | 'GT'
                  | 'GU'
                  | 'GW'
                  | 'GY'
                  | 'HK'
                  | 'HM'
                  | 'HN'
                  | 'HR'
                  | 'HT'
                  | 'HU'
                  | 'ID'
                  | 'IE'
                  | 'IL'
                  | 'IM'
                  | 'IN'
                  | 'IO'
                  | 'IQ'
                  | 'IR'
                  | 'IS'
                  | 'IT'
                  | 'JE'
                  | 'JM'
                  | 'JO'
                  | 'JP'
                  | 'KE'
                  | 'KG'
                  | 'KH'
                  | 'KI'
                  | 'KM'
                  | 'KN'
                  | 'KP'
                  | 'KR'
                  | 'KW'
                  | 'KY'
                  | 'KZ'
                  | 'LA'
                  | 'LB'
                  | 'LC'
                  | 'LI'
                  | 'LK'
                  | 'LR'
                  | 'LS'
                  | 'LT'
                  | 'LU'
                  | 'LV'
                  | 'LY'
                  | 'MA'
                  | 'MC'
                  | 'MD'
                  | 'ME'
                  | 'MF'
                  | 'MG'
                  | 'MH'
                  | 'MK'
                  | 'ML'
                  | 'MM'
                  | 'MN'
                  | 'MO'
                  | 'MP'
                  | 'MQ'
                  | 'MR'
                  | 'MS'
                  | 'MT'
                  | 'MU'
                  | 'MV'
                  | 'MW'
                  | 'MX'
                  | 'MY'
                  | 'MZ'
                  | 'NA'
                  | 'NC'
                  | 'NE'
                  | 'NF'
                  | 'NG'
                  | 'NI'
                  | 'NL'
                  | 'NO'
                  | 'NP'
                  | 'NR'
                  | 'NU'
                  | 'NZ'
                  | 'OM'
                  | 'PA'
                  | 'PE'
                  | 'PF'
                  | 'PG'
                  | 'PH'
                  | 'PK'
                  | 'PL'
                  | 'PM'
                  | 'PN'
                  | 'PR'
                  | 'PS'
                  | 'PT'
                  | 'PW'
                  | 'PY'
                  | 'QA'
                  | 'RE'
                  | 'RO'
                  | 'RS'
                  | 'RU'
                  | 'RW'
                  | 'SA'
                  | 'SB'
                  | 'SC'
                  | 'SD'
                  | 'SE'
                  | 'SG'
                  | 'SH'
                  | 'SI'
                  | 'SJ'
                  | 'SK'
                  | 'SL'
                  | 'SM'
                  | 'SN'
                  | 'SO'
                  | 'SR'
                  | 'SS'
                  | 'ST'
                  | 'SV'
                  | 'SX'
                  | 'SY'
                  | 'SZ'
                  | 'TC'
                  | 'TD'
                  | 'TF'
                  | 'TG'
                  | 'TH'
                  | 'TJ'
                  | 'TK'
                  | 'TL'
                  | 'TM'
                  | 'TN'
                  | 'TO'
                  | 'TR'
                  | 'TT'
                  | 'TV'
                  | 'TW'
                  | 'TZ'
                  | 'UA'
                  | 'UG'
                  | 'UM'
                  | 'US'
                  | 'UY'
                  | 'UZ'
                  | 'VA'
                  | 'VC'
                  | 'VE'
                  | 'VG'
                  | 'VI'
                  | 'VN'
                  | 'VU'
                  | 'WF'
                  | 'WS'
                  | 'YE'
                  | 'YT'
                  | 'ZA'
                  | 'ZM'
                  | 'ZW'
                  | 'XK'
                )[]
              | null;
            countriesBlock?:
              | (
                  | 'AD'
                  | 'AE'
                  | 'AF'
                  | 'AG'
                  | 'AI'
                  | 'AL'
                  | 'AM'
                  | 'AO'
                  | 'AQ'
                  | 'AR'
                  | 'AS'
                  | 'AT'
                  | 'AU'
                  | 'AW'
                  | 'AX'
                  | 'AZ'
                  | 'BA'
                  | 'BB'
                  | 'BD'
                  | 'BE'
                  | 'BF'
                  | 'BG'
                  | 'BH'
                  | 'BI'
                  | 'BJ'
                  | 'BL'
                  | 'BM'
                  | 'BN'
                  | 'BO'
                  | 'BQ'
                  | 'BR'
                  | 'BS'
                  | 'BT'
                  | 'BV'
                  | 'BW'
                  | 'BY'
                  | 'BZ'
                  | 'CA'
                  | 'CC'
                  | 'CD'
                  | 'CF'
                  | 'CG'
                  | 'CH'
                  | 'CI'
                  | 'CK'
                  | 'CL'
                  | 'CM'
                  | 'CN'
                  | 'CO'
                  | 'CR'
                  | 'CU'
                  | 'CV'
                  | 'CW'
                  | 'CX'
                  | 'CY'
                  | 'CZ'
                  | 'DE'
                  | 'DJ'
                  | 'DK'
                  | 'DM'
                  | 'DO'
                  | 'DZ'
                  | 'EC'
                  | 'EE'
                  | 'EG'
                  | 'EH'
                  | 'ER'
                  | 'ES'
                  | 'ET'
                  | 'FI'
                  | 'FJ'
                  | 'FK'
                  | 'FM'
                  | 'FO'
                  | 'FR'
                  | 'GA'
                  | 'GB'
                  | 'GD'
                  | 'GE'
                  | 'GF'
                  | 'GG'
                  | 'GH'
                  | 'GI'
                  | 'GL'
                  | 'GM'
                  | 'GN'
                  | 'GP'
                  | 'GQ'
                  | 'GR'
                  | 'GS'
                  | 'GT'
                  | 'GU'
                  | 'GW'
                  | 'GY'
                  | 'HK'
                  | 'HM'
                  | 'HN'
                  | 'HR'
                  | 'HT'
                  | 'HU'
                  | 'ID'
                  | 'IE'
                  | 'IL'
                  | 'IM'
                  | 'IN'
                  | 'IO'
                  | 'IQ'
                  | 'IR'
                  | 'IS'
                  | 'IT'
                  | 'JE'
                  | 'JM'
                  | 'JO'
                  | 'JP'
                  | 'KE'
                  | 'KG'
                  | 'KH'
                  | 'KI'
                  | 'KM'
                  | 'KN'
                  | 'KP'
                  | 'KR'
                  | 'KW'
                  | 'KY'
                  | 'KZ'
                  | 'LA'
                  | 'LB'
                  | 'LC'
                  | 'LI'
                  | 'LK'
                  | 'LR'
                  | 'LS'
                  | 'LT'
                  | 'LU'
                  | 'LV'
                  | 'LY'
                  | 'MA'
                  | 'MC'
                  | 'MD'
                  | 'ME'
                  | 'MF'
                  | 'MG'
                  | 'MH'
                  | 'MK'
                  | 'ML'
                  | 'MM'
                  | 'MN'
                  | 'MO'
                  | 'MP'
                  | 'MQ'
                  | 'MR'
                  | 'MS'
                  | 'MT'
                  | 'MU'
                  | 'MV'
                  | 'MW'
                  | 'MX'
                  | 'MY'
                  | 'MZ'
                  | 'NA'
                  | 'NC'
                  | 'NE'
                  | 'NF'
                  | 'NG'
                  | 'NI'
                  | 'NL'
                  | 'NO'
                  | 'NP'
                  | 'NR'
                  | 'NU'
                  | 'NZ'
                  | 'OM'
                  | 'PA'
                  | 'PE'
                  | 'PF'
                  | 'PG'
                  | 'PH'
                  | 'PK'
                  | 'PL'
                  | 'PM'
                  | 'PN'
                  | 'PR'
                  | 'PS'
                  | 'PT'
                  | 'PW'
                  | 'PY'
                  | 'QA'
                  | 'RE'
                  | 'RO'
                  | 'RS'
                  | 'RU'
                  | 'RW'
                  | 'SA'
                  | 'SB'
                  | 'SC'
                  | 'SD'
                  | 'SE'
                  | 'SG'
                  | 'SH'
                  | 'SI'
                  | 'SJ'
                  | 'SK'
                  | 'SL'
                  | 'SM'
                  | 'SN'
                  | 'SO'
                  | 'SR'
                  | 'SS'
                  | 'ST'
                  | 'SV'
                  | 'SX'
                  | 'SY'
                  | 'SZ'
                  | 'TC'
                  | 'TD'
                  | 'TF'
                  | 'TG'
                  | 'TH'
                  | 'TJ'
                  | 'TK'
                  | 'TL'
                  | 'TM'
                  | 'TN'
                  | 'TO'
                  | 'TR'
                  | 'TT'
                  | 'TV'
                  | 'TW'
                  | 'TZ'
                  | 'UA'
                  | 'UG'
                  | 'UM'
                  | 'US'
                  | 'UY'
                  | 'UZ'
                  | 'VA'
                  | 'VC'
                  | 'VE'
                  | 'VG'
                  | 'VI'
                  | 'VN'
                  | 'VU'
                  | 'WF'
                  | 'WS'
                  | 'YE'
                  | 'YT'
                  | 'ZA'
                  | 'ZM'
                  | 'ZW'
                  | 'XK'
                )[]
              | null;
            ipBinding?: boolean;
            linkTtlSeconds?: number | null;
            rateLimitKbps?: number | null;
          };
          maxObjectBytes?: number | null;
          processing?: {
            download?: boolean;
            keepOriginal?: boolean;
            ladder?: (240 | 360 | 480 | 720 | 1080 | 1440 | 2160)[];
            thumbnails?: boolean;
          } | null;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Library'];
        };
      };
    };
  };
  listVideos: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        status?: 'uploading' | 'queued' | 'encoding' | 'playable' | 'ready' | 'failed';
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        libraryId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Videos'];
        };
      };
    };
  };
  createVideo: {
    parameters: {
      query?: never;
      header: {
        /** @description The same key and body within 24 hours get the first answer again. */
        'Idempotency-Key': string;
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        libraryId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          contentType: string;
          /** @default  */
          fileName?: string;
          /** @description At most 8192 bytes as JSON. */
          metadata?: {
            [key: string]: string | number | boolean;
          };
          sha256?: string | null;
          size: number;
          title?: string;
        };
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewVideo'];
        };
      };
    };
  };
  notifyConnector: {
    parameters: {
      query?: never;
      header?: {
        /** @description Of Event Grid: `SubscriptionValidation` for its handshake. */
        'aeg-event-type'?: string;
      };
      path: {
        /** @description The last part of a `notifyUrl`. */
        token: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/cloudevents+json': unknown;
        'application/json': unknown;
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            validationResponse: string;
          };
        };
      };
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            accepted: true;
          };
        };
      };
    };
  };
  consentToNotifications: {
    parameters: {
      query?: never;
      header: {
        /** @description Who will send. */
        'WebHook-Request-Origin': string;
      };
      path: {
        /** @description The last part of a `notifyUrl`. */
        token: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readObject: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        objectId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StoredObject'];
        };
      };
    };
  };
  removeObject: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        objectId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  changeObject: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        objectId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description At most 8192 bytes as JSON. */
          metadata?: {
            [key: string]: string | number | boolean | null;
          };
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StoredObject'];
        };
      };
    };
  };
  readPlan: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Plan'];
        };
      };
    };
  };
  listPurges: {
    parameters: {
      query?: {
        bucketId?: string;
        cursor?: string;
        limit?: number;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Purges'];
        };
      };
    };
  };
  readPurge: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        purgeId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Purge'];
        };
      };
    };
  };
  listRegions: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Regions'];
        };
      };
    };
  };
  search: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          filter?: components['schemas']['SearchFilter'];
          /** @enum {string} */
          group?: 'file';
          kind?: components['schemas']['Kind'];
          /** @default 20 */
          limit?: number;
          /** @default 0 */
          offset?: number;
          principals?: string[];
          query: string;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SearchResult'];
        };
      };
    };
  };
  readSettings: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Settings'];
        };
      };
    };
  };
  replaceSettings: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          callbackSecret?: string | null;
          callbackUrl?: string | null;
          dailyAudioHours?: number | null;
          dailyBudgetUsd?: number | null;
          extractContentFromVideoFrames?: boolean | null;
          requireAcl?: boolean | null;
          searchLogDays?: number | null;
          sourceHosts?: string[] | null;
          videoDefaults?: {
            download?: boolean | null;
            keepOriginal?: boolean | null;
            ladder?: (240 | 360 | 480 | 720 | 1080 | 1440 | 2160)[] | null;
            thumbnails?: boolean | null;
          } | null;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Settings'];
        };
      };
    };
  };
  dropSettings: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Settings'];
        };
      };
    };
  };
  changeSettings: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          callbackSecret?: string | null;
          callbackUrl?: string | null;
          dailyAudioHours?: number | null;
          dailyBudgetUsd?: number | null;
          extractContentFromVideoFrames?: boolean | null;
          requireAcl?: boolean | null;
          searchLogDays?: number | null;
          sourceHosts?: string[] | null;
          videoDefaults?: {
            download?: boolean | null;
            keepOriginal?: boolean | null;
            ladder?: (240 | 360 | 480 | 720 | 1080 | 1440 | 2160)[] | null;
            thumbnails?: boolean | null;
          } | null;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Settings'];
        };
      };
    };
  };
  sign: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** Format: uuid */
          bucketId: string;
          hostname?: string;
          /** @description IPv4 address that the link is bound to: required where the bucket binds, else refused. Not looked at on a public bucket. */
          ip?: unknown;
          key?: string;
          /** Format: uuid */
          objectId?: string;
          tags?: {
            [key: string]: string;
          };
          /** @description 60 to 604800; without it the bucket's default. Not looked at on a public bucket. */
          ttlSeconds?: unknown;
          /** Format: uuid */
          videoId?: string;
        } & (unknown | unknown | unknown);
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Link'];
        };
      };
    };
  };
  listStatements: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StatementList'];
        };
      };
    };
  };
  readStatement: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        month: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Statement'];
        };
      };
    };
  };
  exportStatement: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        month: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/csv; charset=utf-8': string;
        };
      };
    };
  };
  readStorageAccount: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StorageAccount'];
        };
      };
    };
  };
  createStorageAccount: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          homeRegion: string;
          name: string;
        };
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StorageAccount'];
        };
      };
    };
  };
  changeStorageAccount: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          homeRegion?: string;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StorageAccount'];
        };
      };
    };
  };
  listStorageCredentials: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StorageCredentials'];
        };
      };
    };
  };
  createStorageCredential: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          bucketIds?: string[] | null;
          expiresAt?: string | null;
          /** @enum {string} */
          kind: 's3' | 'azure';
          name: string;
          permissions: ('read' | 'write' | 'delete' | 'manage')[];
        };
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewStorageCredential'];
        };
      };
    };
  };
  revokeStorageCredential: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        credentialId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StorageCredential'];
        };
      };
    };
  };
  rotateStorageCredential: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        credentialId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewStorageCredential'];
        };
      };
    };
  };
  suggestQueries: {
    parameters: {
      query: {
        limit?: number;
        prefix: string;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Suggestions'];
        };
      };
    };
  };
  readBoosts: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Boosts'];
        };
      };
    };
  };
  writeBoost: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          factor: number;
          match:
            | {
                kind?: components['schemas']['Kind'];
                metadata?: {
                  [key: string]: string | number | boolean | (string | number | boolean)[];
                };
              }
            | unknown
            | {
                metadata: unknown;
              };
          name: string;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Boost'];
        };
      };
    };
  };
  removeBoost: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readPins: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Pins'];
        };
      };
    };
  };
  writePin: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          assetIds: string[];
          query: string;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Pin'];
        };
      };
    };
  };
  readSynonyms: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Synonyms'];
        };
      };
    };
  };
  writeSynonyms: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          expansions: string[];
          term: string;
        }[];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Synonyms'];
        };
      };
    };
  };
  readUpload: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        uploadId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Upload'];
        };
      };
    };
  };
  abortUpload: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        uploadId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Upload'];
        };
      };
    };
  };
  completeUpload: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        uploadId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CompletedUpload'];
        };
      };
    };
  };
  renewUpload: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        uploadId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FreshUpload'];
        };
      };
    };
  };
  readUsage: {
    parameters: {
      query?: {
        from?: string;
        month?: string;
        to?: string;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Usage'];
        };
      };
    };
  };
  listUsageOfAssets: {
    parameters: {
      query?: {
        from?: string;
        limit?: number;
        offset?: number;
        to?: string;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UsageAssets'];
        };
      };
    };
  };
  readDailyUsage: {
    parameters: {
      query?: {
        breakdown?: 'organization';
        from?: string;
        metric?:
          | 'audio_hours'
          | 'ocr_frames'
          | 'source_bytes'
          | 'media_hours'
          | 'document_megabytes'
          | 'searches'
          | 'dashboard_searches'
          | 'answers'
          | 'index_gigabyte_months'
          | 'storage_gb_days'
          | 'delivery_gb'
          | 'requests_millions'
          | 'upload_gb'
          | 'custom_domain_days'
          | 'encoding_minutes'
          | 'gateway_egress_gb'
          | 'gateway_write_requests_millions'
          | 'gateway_read_requests_millions'
          | 'monthly_minimum';
        to?: string;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DailyUsage'];
        };
      };
    };
  };
  readQuotas: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Quotas'];
        };
      };
    };
  };
  readResourceUsage: {
    parameters: {
      query?: {
        bucketId?: string;
        cursor?: string;
        from?: string;
        limit?: number;
        metric?:
          | 'storage_gb_days'
          | 'delivery_gb'
          | 'requests_millions'
          | 'upload_gb'
          | 'custom_domain_days'
          | 'encoding_minutes'
          | 'gateway_egress_gb'
          | 'gateway_write_requests_millions'
          | 'gateway_read_requests_millions';
        to?: string;
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResourceUsage'];
        };
      };
    };
  };
  readVideo: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        videoId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Video'];
        };
      };
    };
  };
  removeVideo: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        videoId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RemovedVideo'];
        };
      };
    };
  };
  changeVideo: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        videoId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description At most 8192 bytes as JSON. */
          metadata?: {
            [key: string]: string | number | boolean;
          };
          title?: string;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Video'];
        };
      };
    };
  };
  reencodeVideo: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        videoId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Video'];
        };
      };
    };
  };
  readWebhookDelivery: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        deliveryId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SentWebhookDelivery'];
        };
      };
    };
  };
  redeliverWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The same key and body within 24 hours get the first answer again. */
        'Idempotency-Key'?: string;
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        deliveryId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewWebhookDelivery'];
        };
      };
    };
  };
  listWebhooks: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Webhooks'];
        };
      };
    };
  };
  createWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The same key and body within 24 hours get the first answer again. */
        'Idempotency-Key': string;
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          description?: string | null;
          events: ('video.playable' | 'video.ready' | 'video.failed')[];
          url: string;
        };
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Webhook'];
        };
      };
    };
  };
  readWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Webhook'];
        };
      };
    };
  };
  removeWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  changeWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          active?: boolean;
          description?: string | null;
          events?: ('video.playable' | 'video.ready' | 'video.failed')[];
          url?: string;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Webhook'];
        };
      };
    };
  };
  listWebhookDeliveries: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        state?: 'pending' | 'delivered' | 'failed';
      };
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookDeliveries'];
        };
      };
    };
  };
  pingWebhook: {
    parameters: {
      query?: never;
      header: {
        /** @description The same key and body within 24 hours get the first answer again. */
        'Idempotency-Key'?: string;
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewWebhookDelivery'];
        };
      };
    };
  };
  rotateWebhookSecret: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        webhookId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Webhook'];
        };
      };
    };
  };
  listApiKeys: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKeys'];
        };
      };
    };
  };
  createApiKey: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          expiresAt?: string | null;
          label: string;
          /** @enum {string} */
          scope: 'standard' | 'admin';
        };
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewApiKey'];
        };
      };
    };
  };
  deactivateApiKey: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        keyId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKey'];
        };
      };
    };
  };
  reactivateApiKey: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        keyId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKey'];
        };
      };
    };
  };
  rotateApiKey: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        keyId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          expiresAt?: string | null;
          /** @default 0 */
          overlapSeconds?: number;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewApiKey'];
        };
      };
    };
  };
  readInvitation: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          token: string;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OpenInvitation'];
        };
      };
    };
  };
  acceptInvitation: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          password: string;
          token: string;
        };
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DashboardSession'];
        };
      };
    };
  };
  listInvitations: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Invitations'];
        };
      };
    };
  };
  invitePerson: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          email: string;
          /** @enum {string} */
          role: 'reader' | 'editor' | 'admin' | 'owner';
        };
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewInvitation'];
        };
      };
    };
  };
  revokeInvitation: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        invitationId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readOrganization: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OrganizationProfile'];
        };
      };
    };
  };
  changeOrganization: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          contactEmail?: string | null;
          description?: string | null;
          name?: string;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OrganizationProfile'];
        };
      };
    };
  };
  listPeople: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['People'];
        };
      };
    };
  };
  changePerson: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        userId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          isActive?: boolean;
          /** @enum {string} */
          role?: 'reader' | 'editor' | 'admin' | 'owner';
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Person'];
        };
      };
    };
  };
  readProfile: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Profile'];
        };
      };
    };
  };
  changePassword: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          newPassword: string;
          password: string;
        };
      };
    };
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  beginSecondFactor: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          password: string;
        };
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NewSecondFactor'];
        };
      };
    };
  };
  confirmSecondFactor: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          code: string;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RecoveryCodes'];
        };
      };
    };
  };
  replaceRecoveryCodes: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          code: string;
          password: string;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RecoveryCodes'];
        };
      };
    };
  };
  removeSecondFactor: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          code: string;
          password: string;
        };
      };
    };
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  readDashboardSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CurrentDashboardSession'];
        };
      };
    };
  };
  startDashboardSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          code?: string;
          email: string;
          password: string;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DashboardSession'];
        };
      };
    };
  };
  endDashboardSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  listDashboardSessions: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DashboardSessions'];
        };
      };
    };
  };
  revokeOtherDashboardSessions: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  revokeDashboardSession: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        sessionId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  listSubOrganizations: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SubOrganization'][];
        };
      };
    };
  };
  createSubOrganization: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          contact_email?: string | null;
          description?: string | null;
          metadata?: {
            [key: string]: string | number | boolean;
          } | null;
          name: string;
        };
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SubOrganization'];
        };
      };
    };
  };
  readSubOrganization: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SubOrganization'];
        };
      };
    };
  };
  changeSubOrganization: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          contact_email?: string | null;
          description?: string | null;
          is_active?: boolean;
          metadata?: {
            [key: string]: string | number | boolean;
          } | null;
          name?: string;
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SubOrganization'];
        };
      };
    };
  };
  deactivateSubOrganization: {
    parameters: {
      query?: never;
      header: {
        /** @description The organization that the request applies to. */
        'X-Organization-Id': components['parameters']['Organization'];
      };
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Deactivated'];
        };
      };
    };
  };
}
