/**
 * Every error code of the API, with its HTTP status and what it means to the caller.
 * Without a `detail`, a response shows the meaning. `docs/errors.md` is generated from
 * this table; a test keeps both equal.
 */
export const errorCodes = {
  api_key_required: {
    status: 401,
    meaning: 'No API key in the Authorization header, or a key in the address or the body.',
  },
  invalid_api_key: { status: 401, meaning: 'The API key is unknown, revoked or expired.' },
  organization_required: { status: 400, meaning: 'The X-Organization-Id header is missing or is no UUID.' },
  organization_forbidden: {
    status: 403,
    meaning: 'The key does not cover this organization, or the organization is deactivated.',
  },
  admin_key_required: { status: 403, meaning: 'The operation needs an admin key.' },
  dashboard_session_required: { status: 403, meaning: 'The operation can be done in the dashboard only.' },
  invalid_credentials: { status: 401, meaning: 'There is no user with this e-mail address and password.' },
  second_factor_required: { status: 401, meaning: "The user's second factor is on: send `code` as well." },
  invalid_second_factor: { status: 401, meaning: 'The code is wrong, too old, or was used before.' },
  second_factor_state: {
    status: 409,
    meaning: 'The second factor is on already, or is not on, or was not begun; read the profile again.',
  },
  role_not_sufficient: { status: 403, meaning: "The person's role does not include this." },
  person_not_found: { status: 404, meaning: 'The account has no such person.' },
  last_owner: { status: 409, meaning: 'An account keeps at least one active owner.' },
  people_limit_reached: { status: 409, meaning: 'The account has as many people or invitations as it may have.' },
  invitation_not_found: {
    status: 404,
    meaning: 'The invitation does not exist, was accepted or revoked, or has expired.',
  },
  email_address_taken: { status: 409, meaning: 'The e-mail address belongs to a user already.' },
  session_not_found: { status: 404, meaning: 'The session does not exist, or is over.' },
  api_key_not_found: { status: 404, meaning: 'The account has no such API key.' },
  api_key_inactive: { status: 409, meaning: 'The API key is inactive, or was changed at the same moment.' },
  origin_not_allowed: {
    status: 403,
    meaning: "A request with the dashboard's cookie must come from the API's own origin.",
  },
  not_included_in_plan: { status: 403, meaning: "The account's plan does not include the feature." },
  validation_error: { status: 422, meaning: 'A field is not valid; `fields` names the first one at fault.' },
  rate_limited: { status: 429, meaning: 'Too many requests; `Retry-After` says when to try again.' },
  quota_exceeded: { status: 429, meaning: 'A quota of the month is reached and pay-as-you-go is off.' },
  not_found: { status: 404, meaning: 'There is no such route.' },
  method_not_allowed: {
    status: 405,
    meaning: 'The route exists, but not with this method; `Allow` lists those it has.',
  },
  payload_too_large: { status: 413, meaning: 'The body is larger than the route takes.' },
  unsupported_media_type: { status: 415, meaning: 'The body is not of a type that the route reads.' },
  idempotency_conflict: {
    status: 409,
    meaning:
      'The Idempotency-Key was used with another body or address, or its first request still runs (then `retryable`).',
  },
  idempotency_key_required: { status: 400, meaning: 'The operation needs an Idempotency-Key header.' },
  internal_error: { status: 500, meaning: 'The service failed; the request id finds the reason in its log.' },
  content_service_unavailable: {
    status: 503,
    meaning:
      'A store or a part of the service is away, or too many requests are in progress; try again after `Retry-After`.',
  },
  source_url_must_be_unsigned: {
    status: 400,
    meaning: '`sourceUrl` carries credentials; send them as `sourceAccess`.',
  },
  source_version_already_registered: {
    status: 409,
    meaning: 'This externalId was registered with this sourceVersion before.',
  },
  source_access_mismatch: {
    status: 400,
    meaning: 'The access address differs from `sourceUrl` before its query string.',
  },
  ambiguous_source_credentials: { status: 400, meaning: 'A signed address was sent together with a sasToken.' },
  source_host_not_allowed: {
    status: 403,
    meaning: 'The host of the address is not one that the organization, or the service, reads from.',
  },
  source_host_outside_ceiling: { status: 403, meaning: "The host is outside the deployment's ceiling." },
  collection_not_found: { status: 404, meaning: 'The collection does not exist (400 on registration).' },
  callback_not_configured: {
    status: 400,
    meaning: '`callbackKey` was sent, but the organization has no callback address and secret.',
  },
  asset_not_found: { status: 404, meaning: 'The asset does not exist, or is not visible to the caller.' },
  passage_not_found: {
    status: 404,
    meaning: 'The passage does not exist, or its file has a newer revision: search again.',
  },
  job_not_found: { status: 404, meaning: 'The job does not exist.' },
  import_not_found: { status: 404, meaning: 'The import does not exist.' },
  name_mismatch: { status: 400, meaning: 'The name or externalId of the body is not that of the path.' },
  asset_busy: { status: 409, meaning: 'Work on the asset is in progress.' },
  asset_not_playable: {
    status: 409,
    meaning:
      "The file lies in no bucket or video library of the organization's own here, so there is nothing to play it from.",
  },
  job_not_cancellable: { status: 409, meaning: 'The job is finished.' },
  transcript_not_ready: {
    status: 409,
    meaning: 'The file is a document, or a recording that has not been indexed yet.',
  },
  invalid_segment_ids: { status: 400, meaning: 'The transcript has no segment of an id that was sent.' },
  revision_conflict: {
    status: 412,
    meaning: '`If-Match` does not name the latest revision; read the transcript again.',
  },
  api_key_limit_reached: {
    status: 409,
    meaning: 'Two API keys of the account are active already; deactivate one first.',
  },
  connector_not_found: { status: 404, meaning: 'The connector does not exist, or is disabled.' },
  connector_name_taken: { status: 409, meaning: 'Another connector of the organization has this name.' },
  invalid_callback: { status: 401, meaning: 'The notification address was altered, or is retired.' },
  sub_organization_not_found: { status: 404, meaning: 'The sub-organization does not exist in this account.' },
  plan_limit_reached: { status: 403, meaning: 'A ceiling of the plan, or of the service, is reached.' },
  region_not_available: {
    status: 422,
    meaning: 'The region is unknown, is not open for new buckets, or cannot keep strict residency.',
  },
  bucket_name_taken: { status: 409, meaning: 'The name is in use, or retired for other accounts.' },
  bucket_not_found: { status: 404, meaning: 'The bucket does not exist.' },
  bucket_not_active: { status: 409, meaning: 'The bucket is not in a state for this; `retryable` while it changes.' },
  bucket_suspended: { status: 403, meaning: 'The bucket was taken down.' },
  restore_window_passed: { status: 409, meaning: 'The bucket was deleted more than seven days ago.' },
  domain_not_found: { status: 404, meaning: 'The custom domain does not exist.' },
  domain_exists: { status: 409, meaning: 'The bucket has this hostname already.' },
  hostname_not_allowed: { status: 422, meaning: "The hostname is reserved, or one of the service's own." },
  domain_limit_reached: { status: 409, meaning: 'The bucket has as many custom domains as a bucket may have.' },
  domain_rate_limited: {
    status: 429,
    meaning: 'The account added too many custom domains; `Retry-After` says when to try again.',
  },
  domain_check_too_soon: {
    status: 429,
    meaning: 'A look was asked for less than a minute ago; `Retry-After` says when to try again.',
  },
  domain_not_active: {
    status: 409,
    meaning: "The hostname is neither the bucket's default one nor an active custom domain of it.",
  },
  object_not_found: { status: 404, meaning: 'The object does not exist.' },
  object_exists: { status: 409, meaning: 'The bucket has an object with this key and does not allow overwriting.' },
  object_managed: { status: 409, meaning: 'The file belongs to a video, and changes with the video alone.' },
  object_busy: { status: 409, meaning: 'Another change of the object is in progress; try again.' },
  file_type_not_allowed: {
    status: 422,
    meaning: 'The type is not one that the bucket allows, or markup was declared as another type.',
  },
  storage_account_not_found: { status: 404, meaning: 'The organization has no storage account.' },
  storage_account_exists: { status: 409, meaning: 'The organization has a storage account already.' },
  storage_account_name_taken: { status: 409, meaning: 'Another storage account has this name.' },
  video_not_found: { status: 404, meaning: 'The video does not exist, or was taken down.' },
  original_not_kept: { status: 409, meaning: 'The original of the video was not kept.' },
  library_not_found: { status: 404, meaning: 'The video library does not exist.' },
  video_not_ready: { status: 409, meaning: 'The video cannot be played yet, or is not ready to be encoded again.' },
  upload_not_found: { status: 404, meaning: 'The upload does not exist.' },
  upload_not_open: {
    status: 409,
    meaning: 'The upload was completed or aborted; `retryable` while another request completes or aborts it.',
  },
  upload_expired: { status: 410, meaning: 'The upload is older than seven days.' },
  upload_incomplete: { status: 409, meaning: 'Parts of the upload are missing.' },
  size_mismatch: { status: 409, meaning: 'The parts together are not of the declared size.' },
  part_out_of_range: { status: 400, meaning: 'The upload has no part of this number.' },
  part_size_mismatch: { status: 400, meaning: 'The body is not of the size of this part.' },
  invalid_content_length: { status: 400, meaning: 'Content-Length is missing, or the body is chunked.' },
  checksum_mismatch: {
    status: 422,
    meaning: 'The bytes that arrived do not match `Content-MD5`; send the part again.',
  },
  upload_too_slow: { status: 408, meaning: 'The body came too slowly; send the part again.' },
  ticket_invalid: { status: 401, meaning: 'The ticket of the address was altered; renew the upload.' },
  ticket_expired: { status: 401, meaning: 'The ticket of the address has expired; renew the upload.' },
  too_many_rows: { status: 422, meaning: 'The breakdown has more rows than the format holds.' },
  too_many_organizations: {
    status: 422,
    meaning: 'The figures span more than 500 organizations; ask for one bucket, or for one organization.',
  },
  export_busy: { status: 429, meaning: 'Another download of a breakdown is in progress; `retryable`.' },
  analytics_unavailable: { status: 503, meaning: 'The figures cannot be read at the moment; try again.' },
  purge_url_not_in_bucket: {
    status: 422,
    meaning: "An address to purge is not on the bucket's hostname or one of its active custom domains.",
  },
  credential_not_found: { status: 404, meaning: 'The storage credential does not exist, or works no more.' },
  credential_limit_reached: {
    status: 409,
    meaning: 'The organization, or its storage account, has as many active credentials as it may have.',
  },
  purge_not_found: { status: 404, meaning: 'The purge does not exist.' },
  webhook_not_found: { status: 404, meaning: 'The webhook endpoint does not exist.' },
  webhook_url_invalid: {
    status: 400,
    meaning:
      'Events cannot be sent to this address: it must be a percent-encoded https address with a public name, port 443 and no credentials.',
  },
  webhook_limit_reached: { status: 409, meaning: 'The organization has ten webhook endpoints.' },
  delivery_not_found: { status: 404, meaning: 'The delivery does not exist, or its endpoint was deleted.' },
  invalid_period: {
    status: 422,
    meaning: 'A day or month is malformed, the period ends before it begins, or a month was sent with days.',
  },
  period_too_long: { status: 422, meaning: 'The period of daily usage has more than 400 days.' },
  invalid_metric: { status: 422, meaning: 'The metric is not in the catalogue of usage.' },
  invalid_breakdown: { status: 422, meaning: 'Usage can be broken down by `organization` only.' },
  statement_not_found: { status: 404, meaning: 'The month was not closed into a statement.' },
  audit_unavailable: {
    status: 503,
    meaning: 'The search as another reader was not run, because its audit row could not be written; try again.',
  },
} as const satisfies Record<string, { status: number; meaning: string }>;

/** A code of the API's errors. */
export type ErrorCode = keyof typeof errorCodes;

/**
 * Why a job stopped or waits: the values of a job's `errorCode`. They are not codes of responses.
 */
export const jobErrorCodes = {
  text_encoding_must_be_utf8: 'The text is not UTF-8. Convert the file and register the new version.',
  ocr_required: 'The PDF has no text layer. Run OCR on it and register the new version.',
  document_empty: 'The package contains no readable text.',
  not_a_scorm_package: 'The .zip is not a SCORM package.',
  source_version_changed: 'The file is no longer the registered version. Register the new version.',
  source_too_large: 'The file is larger than the service reads.',
  source_unreachable: 'The source did not respond as expected. The read is retried.',
  source_access_denied: 'The source denied access. Send a working address with PUT /assets/{assetId}/source-access.',
  source_host_not_allowed: 'The host of the source is not allowed.',
  source_callback_refused: "The organization's callback did not answer 200 with a usable address. It is asked again.",
  source_access_mismatch:
    "The callback's address differs from `sourceUrl` outside its query string. The callback is asked again.",
  ambiguous_source_credentials: 'The callback returned a signed address together with a sasToken. It is asked again.',
  callback_not_configured:
    'The organization no longer has a callback address and secret. Set them, then send PUT /assets/{assetId}/source-access.',
  document_unreadable: 'The file is damaged, or is not in the format of its name.',
  document_encrypted: 'The file is password-protected.',
  document_too_complex: 'The file exceeds a limit on memory, time, pages or entries.',
  media_unreadable: 'The recording is damaged, or its audio or video format is not supported.',
  media_encrypted: 'The sound of the recording is protected (DRM). Register a version that plays without a key.',
  audio_too_long: 'The recording is longer than `maxAudioSeconds`.',
  audio_track_not_found: 'The recording has no sound track with the number in `audioTrack`.',
  model_unavailable:
    'The embedding model or the transcriber did not respond as expected; the log has the reason. The step is retried.',
  speech_unavailable: 'No transcriber is available; `/health/ready` shows why.',
  transcription_failed:
    'A piece of the recording crashed the transcriber, or exceeded its time limit, at every attempt.',
  transcription_refused: 'The speech server refused the recording, or the configured key.',
  store_unavailable: 'A store did not respond. The step is retried.',
  worker_lost: 'Workers were lost repeatedly while doing this step.',
  internal_error: 'The step failed; the log has the reason.',
} as const satisfies Record<string, string>;

/** The code of a job that stopped or waits. */
export type JobErrorCode = keyof typeof jobErrorCodes;

/** Details of a refusal besides its code. */
export interface RefusalDetails {
  /** A sentence for the caller: what is wrong and what to do next. */
  detail?: string;
  /** Location path of the first field at fault, outermost first. */
  fields?: (string | number)[];
  retryable?: boolean;
  /** Seconds, for Retry-After. */
  retryAfter?: number;
  /** A status other than the table's, for codes that the contract gives two. */
  status?: number;
  /** For 405. */
  allow?: string[];
  /** Refused because there is too much to do at present: expected, and not a failure to look into. */
  isShed?: boolean;
}

/**
 * The refusal of a request, for a reason that the caller learns. Behind the broker it is a plain error, so test for it
 * with `refusalOf`, never with instanceof.
 */
export class Refusal extends Error {
  /** HTTP status. */
  readonly code: number;
  /** The error code of the table. */
  readonly type: ErrorCode;
  readonly data: RefusalDetails;
  readonly retryable: boolean;

  constructor(type: ErrorCode, data: RefusalDetails = {}) {
    super(data.detail ?? errorCodes[type].meaning);
    this.name = 'Refusal';
    this.type = type;
    this.code = data.status ?? errorCodes[type].status;
    this.data = data;
    this.retryable = data.retryable ?? false;
  }
}

/** The refusal in an error, also of one from behind the broker; null for every other failure. */
export function refusalOf(error: unknown): { code: number; type: ErrorCode; data: RefusalDetails } | null {
  if (typeof error !== 'object' || error === null || !('name' in error) || !('type' in error)) return null;
  const { name, type } = error;
  if (name !== 'Refusal' || typeof type !== 'string' || !isErrorCode(type)) return null;
  const data: RefusalDetails =
    'data' in error && typeof error.data === 'object' && error.data !== null ? error.data : {};
  return { code: data.status ?? errorCodes[type].status, type, data };
}

/** Whether a string is one of the API's error codes. */
export function isErrorCode(word: string): word is ErrorCode {
  return Object.hasOwn(errorCodes, word);
}

/** A `validation_error` at a location path, such as `['body', 'offset']`. */
export function invalid(fields: (string | number)[], detail: string): Refusal {
  return new Refusal('validation_error', { fields, detail });
}
