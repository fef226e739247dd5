import type { TestProgram } from '../../test/api/support/program.ts';
import type { Fixtures } from './fixtures.ts';

/** The same for every run, so that what one run finds the next finds again. */
const seed = 20_261;

/**
 * A table of TOML as far as it is needed here. Basic strings are written as JSON strings, of which they are a superset.
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

/** A parameter that mostly takes real values, so that operations get past 404, and else what was generated. */
function mostly(dictionary: string): { dictionary: string; probability: number } {
  return { dictionary, probability: 0.8 };
}

function always(dictionary: string): { dictionary: string; probability: number } {
  return { dictionary, probability: 1 };
}

/**
 * What valid data may get: besides success, an id that leads nowhere, a state that does not fit, one sub-organization
 * too many in an hour, and an address longer than HTTP carries here.
 */
const valid = ['2xx', 404, 409, 429, 431];
/** What data may get that is not valid: an earlier check may refuse it first. */
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
    `seed = ${seed}\nworkers = 2\ncontinue-on-failure = true\nrequest-timeout = 30.0\n`,
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
    // What is deleted here is deactivated alone: it stays to be read and changed.
    table('[operations]', {
      'include-path-regex': '^/api/sub-organizations',
      checks: { use_after_free: { enabled: false } },
    }),
    // A cursor is opaque: no schema can say which were given out.
    table('[operations]', {
      'include-operation-id': 'listActivity',
      checks: { positive_data_acceptance: { 'expected-statuses': [...valid, 422] } },
    }),
    // Items that are not valid are told of in the answer.
    table('[operations]', {
      'include-operation-id': 'importAssets',
      checks: { negative_data_rejection: { 'expected-statuses': [...invalid, 202] } },
    }),
    // The tool's own negatives of this body (one of two fields at least) are not the same twice, and it then ends with
    // an error of its own now and then: it is fuzzed alone.
    table('[operations]', {
      'include-operation-id': 'writeBoost',
      phases: { coverage: { enabled: false } },
      checks: { positive_data_acceptance: { 'expected-statuses': [...valid, 400] } },
    }),
    // A name may stand in the body too, and must then be that of the path.
    table('[operations]', {
      'include-operation-id': 'writeCollection',
      checks: { positive_data_acceptance: { 'expected-statuses': [...valid, 400] } },
    }),
    // A term has to expand to something else; an address has to be public, and a host within the deployment's ceiling:
    // no schema can say so.
    ...['writeSynonyms', 'replaceSettings', 'changeSettings'].map((operation) =>
      table('[operations]', {
        'include-operation-id': operation,
        checks: { positive_data_acceptance: { 'expected-statuses': [...valid, 403, 422] } },
      }),
    ),
    // An address has to be one that may be read, and a stored credential stays with its address.
    ...['createConnector', 'replaceConnector'].map((operation) =>
      table('[operations]', {
        'include-operation-id': operation,
        checks: { positive_data_acceptance: { 'expected-statuses': [...valid, 403, 422] } },
      }),
    ),
    // Nobody but this deployment can make an address that is good.
    ...['notifyConnector', 'consentToNotifications'].map((operation) =>
      table('[operations]', {
        'include-operation-id': operation,
        checks: { positive_data_acceptance: { 'expected-statuses': [...valid, 401, 422] } },
      }),
    ),
    // Collections that do not exist, addresses that are none although they look so or do not fit, hosts that are not
    // read from.
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
    // An address has to be that of its asset, and of a host that is read from.
    table('[operations]', {
      'include-operation-id': 'giveSourceAccess',
      checks: { positive_data_acceptance: { 'expected-statuses': [...valid, 400, 403, 422] } },
      parameters: { 'path.assetId': mostly('assets'), 'body.url': always('sourceUrls') },
    }),
  ].join('\n');
}
