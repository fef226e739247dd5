import type { TestProgram } from '../../test/api/support/program.ts';
import type { Fixtures } from './fixtures.ts';

/** The same for every run, so that failures are reproducible. */
const seed = 20_261;

/**
 * A TOML table with the features needed here. Basic strings are written as JSON strings, which are a subset of them.
 */
function table(name: string, entries: { readonly [key: string]: unknown }): string {
  const lines = Object.entries(entries).map(([key, value]) => `${JSON.stringify(key)} = ${written(value)}`);
  return `[${name}]\n${lines.join('\n')}\n`;
}

function written(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)} = ${written(inner)}`)
    .join(', ')} }`;
}

/** A parameter with existing values most of the time, so that operations get past 404, otherwise generated ones. */
function mostly(dictionary: string): { dictionary: string; probability: number } {
  return { dictionary, probability: 0.8 };
}

function always(dictionary: string): { dictionary: string; probability: number } {
  return { dictionary, probability: 1 };
}

/**
 * Responses to valid data: success, an unknown id, a conflicting state, too many sub-organizations in an hour, or an
 * address that is too long for HTTP.
 */
const valid = ['2xx', 404, 409, 429, 431];
/** An operation that refuses some data that its schema takes. */
function mayRefuse(operation: string, ...statuses: number[]): string {
  return table('[operations]', {
    'include-operation-id': operation,
    checks: { positive_data_acceptance: { 'expected-statuses': [...valid, ...statuses] } },
  });
}

/** Operations for people who signed in to the dashboard: the key of this run is always refused. */
function refuseKeys(pathRegex: string): string {
  return table('[operations]', {
    'include-path-regex': pathRegex,
    checks: { positive_data_acceptance: { 'expected-statuses': [...valid, 403] } },
    warnings: false,
  });
}

/** Responses to invalid data: an earlier check may refuse it first. */
const invalid = [400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 431];

/**
 * The configuration of schemathesis for a run against a program:
 * https://schemathesis.readthedocs.io/en/stable/reference/configuration/
 */
export function schemathesisConfiguration(
  { organizationId, admin }: TestProgram,
  fixtures: Fixtures,
  { short, reportFile }: { short: boolean; reportFile: string },
): string {
  const phases = {
    examples: { enabled: true },
    coverage: { enabled: true },
    fuzzing: { enabled: true },
    stateful: { enabled: !short },
  };
  const dictionaries = {
    assets: fixtures.assetIds,
    spareAssets: fixtures.spareAssetIds,
    jobs: fixtures.jobIds,
    waitingJobs: fixtures.waitingJobIds,
    imports: fixtures.importIds,
    subOrganizations: fixtures.subOrganizationIds,
    sourceUrls: fixtures.sourceUrls,
    sourceVersions: fixtures.sourceVersions,
    filenames: ['notes.txt', 'Table.CSV', 'page.html'],
    kinds: ['document'],
  };
  return [
    // One worker: threads that parse Python at the same time fail in Python 3.11 (github.com/python/cpython/issues/106905).
    `seed = ${seed}\nworkers = 1\ncontinue-on-failure = true\nrequest-timeout = 30.0\n`,
    table('headers', { Authorization: `ApiKey ${admin.key}`, 'X-Organization-Id': organizationId }),
    table('generation', { mode: 'all', 'max-examples': short ? 5 : 100, 'no-shrink': short, database: 'none' }),
    table('reports.json', { enabled: true, path: reportFile }),
    table('warnings', {
      'fail-on': [
        'missing_auth',
        'dictionary_mismatch',
        'unmatched_filter',
        'unsupported_regex',
        'unresolvable_reference',
        'missing_deserializer',
      ],
    }),
    ...Object.entries(phases).map(([name, phase]) => table(`phases.${name}`, phase)),
    table('checks.positive_data_acceptance', { 'expected-statuses': valid }),
    table('checks.negative_data_rejection', { 'expected-statuses': invalid }),
    ...Object.entries(dictionaries).map(([name, values]) => table(`dictionaries.${name}`, { values })),
    table('parameters', {
      'path.assetId': mostly('assets'),
      'path.jobId': mostly('jobs'),
      'path.importId': mostly('imports'),
      'path.id': mostly('subOrganizations'),
    }),
    table('[operations]', {
      'include-operation-id': 'removeAsset',
      parameters: { 'path.assetId': { dictionary: 'spareAssets', probability: 0.1 } },
    }),
    table('[operations]', { 'include-operation-id': 'cancelJob', parameters: { 'path.jobId': mostly('waitingJobs') } }),
    // Deleted sub-organizations are only deactivated, and can still be read and changed.
    table('[operations]', {
      'include-path-regex': '^/api/sub-organizations',
      checks: { use_after_free: { enabled: false } },
    }),
    // A cursor is opaque: the schema cannot say which ones are valid.
    ...['listActivity', 'listObjects', 'listDomains', 'listPurges', 'listVideos', 'listWebhookDeliveries'].map(
      (operation) => mayRefuse(operation, 422),
    ),
    // The ends of a period must fit each other, and a dimension its grouping.
    ...[
      'readDeliveryAnalytics',
      'readTrafficAnalytics',
      'readTrafficBreakdown',
      'readResourceUsage',
      'listAuditLog',
      'readUsage',
      'readDailyUsage',
      'listUsageOfAssets',
    ].map((operation) => mayRefuse(operation, 422)),
    // A region must be there and open; names may be reserved; settings must be valid together; types, keys, addresses and hostnames have rules that
    // patterns cannot express; what a link binds depends on the bucket.
    ...[
      'createBucket',
      'changeBucket',
      'createLibrary',
      'changeLibrary',
      'createVideo',
      'previewAnalyticsRule',
      'startUpload',
      'createPurge',
      'addDomain',
      'sign',
      'createStorageAccount',
      'changeStorageAccount',
    ].map((operation) => mayRefuse(operation, 422)),
    mayRefuse('startDashboardSession', 401),
    refuseKeys('^/api/content/v1/storage-credentials'),
    refuseKeys('^/api/dashboard/(api-keys|invitations|organization|people|profile|sessions)'),
    // An address must be one that events can be sent to.
    ...['createWebhook', 'changeWebhook'].map((operation) => mayRefuse(operation, 400, 422)),
    // Invalid items are reported in the response.
    table('[operations]', {
      'include-operation-id': 'importAssets',
      checks: { negative_data_rejection: { 'expected-statuses': [...invalid, 202] } },
    }),
    // The tool's invalid variants of this body (one of two fields at least) are not reproducible, and it sometimes
    // fails with its own error: this operation is only fuzzed.
    table('[operations]', {
      'include-operation-id': 'writeBoost',
      phases: { coverage: { enabled: false } },
      checks: { positive_data_acceptance: { 'expected-statuses': [...valid, 400] } },
    }),
    // A name in the body must equal that of the path.
    mayRefuse('writeCollection', 400),
    // A term must expand to something else; an address must be public with an allowed host: the schema cannot express
    // this.
    ...['writeSynonyms', 'replaceSettings', 'changeSettings'].map((operation) => mayRefuse(operation, 403, 422)),
    // An address must be allowed, and a stored credential stays with its address.
    ...['createConnector', 'replaceConnector'].map((operation) => mayRefuse(operation, 403, 422)),
    // Only this deployment can create valid addresses.
    ...['notifyConnector', 'consentToNotifications'].map((operation) => mayRefuse(operation, 401, 422)),
    // Unknown collections, malformed or mismatching addresses, forbidden hosts.
    table('[operations]', {
      'include-operation-id': 'registerAsset',
      checks: { positive_data_acceptance: { 'expected-statuses': [...valid, 400, 403, 422] } },
      parameters: {
        'body.sourceUrl': always('sourceUrls'),
        'body.sourceAccess.url': always('sourceUrls'),
        'body.sourceVersion': mostly('sourceVersions'),
        'body.filename': mostly('filenames'),
        'body.kind': mostly('kinds'),
      },
    }),
    // An address must match its asset, with an allowed host.
    table('[operations]', {
      'include-operation-id': 'giveSourceAccess',
      checks: { positive_data_acceptance: { 'expected-statuses': [...valid, 400, 403, 422] } },
      parameters: { 'path.assetId': mostly('assets'), 'body.url': always('sourceUrls') },
    }),
  ].join('\n');
}
