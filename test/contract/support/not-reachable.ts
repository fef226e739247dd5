/**
 * Errors that need conditions that a running program cannot have in the contract tests; tests of the gateway cover the
 * first ones with test actors: a broken service, an unavailable store, plans, quotas. Playback needs stored objects.
 */
export const notReachable = new Set<string>([
  'internal_error',
  'content_service_unavailable',
  'not_included_in_plan',
  'quota_exceeded',
  'playAsset 200',
  // These need a plan, a week, or a race with a deletion.
  'plan_limit_reached',
  // A key that has expired.
  'reactivateApiKey api_key_inactive',
  // This needs two hundred people.
  'people_limit_reached',
  'restore_window_passed',
  'restoreBucket bucket_not_active',
  'analytics_unavailable',
  // These need hundreds of organizations, or tens of thousands of values; a download is no JSON.
  'too_many_organizations',
  'too_many_rows',
  'export_busy',
  // Another request at the same moment, a week, a store that lost bytes, the operator's suspension.
  'object_busy',
  'abortUpload upload_not_open',
  'upload_expired',
  'size_mismatch',
  'bucket_suspended',
  // The videos of a library that is deleted are not found.
  'reencodeVideo bucket_not_active',
  // Their parameters have codes of their own.
  'readUsage validation_error',
  'readDailyUsage validation_error',
  // Tests of domains reach them.
  'domain_rate_limited',
  'addDomain bucket_not_active',
  'checkDomain bucket_not_active',
]);
