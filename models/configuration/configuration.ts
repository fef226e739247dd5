import { availableParallelism } from 'node:os';
import { address, baseAddress, host, hostList, keyText, networkList, oneOf, optional, secretKeyList, share, someOf, text, uuid, uuidList, variable, whole, type Variable } from './variables.ts';

const roles = ['gateway', 'accounts', 'registrar', 'connectors', 'scheduler', 'extractor', 'transcriber', 'embedder', 'searcher', 'ledger'] as const;

/** A part of the product that a process may run. */
export type Role = (typeof roles)[number];

const MiB = 2 ** 20;
const GiB = 2 ** 30;

/** Every variable that the program reads, in the order of the documentation. */
export const variables = {
  PLY_ROLES: variable(someOf(...roles), roles, 'Which parts this process runs.', 'all'),
  PLY_HOST: variable(host, '127.0.0.1', 'Address that every listener binds to.'),
  PLY_API_PORT: variable(whole(0, 65535), 3000, 'Port of the API; 0 takes a free one.'),
  PLY_METRICS_PORT: variable(whole(0, 65535), 3030, 'Port of the Prometheus metrics; 0 takes a free one.'),
  PLY_METRICS_ORGANIZATIONS: variable(uuidList, [], 'Organizations that have figures of their own among the metrics, 20 at most.', 'none'),
  PLY_DATA_DIR: variable(text(), './data', 'Folder of the embedded stores, the blobs and the secret key.'),
  PLY_PRIVATE_NETWORKS: variable(oneOf('deny', 'allow'), 'deny', 'Whether sources may use http, any port and loopback or private addresses. `allow` is for one machine and tests.'),
  PLY_PUBLIC_URL: variable(optional(baseAddress), null, 'Address at which others reach this deployment, before `/api`; where unset, connectors have no notification address.'),
  PLY_TRUSTED_PROXIES: variable(networkList, [], 'Proxies in front of the API, whose `X-Forwarded-For` tells who sent a storage event; none means that the connection tells.', 'none'),
  PLY_ALLOWED_HOST_CEILING: variable(hostList, [], 'Hosts that sources may have at all; none means unbounded.', 'none'),
  PLY_NATS_URL: variable(optional(address('nats', 'tls')), null, 'NATS server, for several processes. Needs PLY_MONGO_URL, PLY_MILVUS_URL, PLY_REDIS_URL and PLY_BLOBS_URL as well.'),
  PLY_MONGO_URL: variable(optional(address('mongodb', 'mongodb+srv')), null, 'MongoDB for the records; embedded SQLite where unset.'),
  PLY_MONGO_DATABASE: variable(text(63), 'ply', 'Name of the MongoDB database.'),
  PLY_MILVUS_URL: variable(optional(address('http', 'https')), null, 'Milvus for the passages; embedded SQLite where unset.'),
  PLY_MILVUS_COLLECTION: variable(text(63), 'ply_passages', 'Beginning of the names of the Milvus collections.'),
  PLY_REDIS_URL: variable(optional(address('redis', 'rediss')), null, 'Redis for the counters; kept in this process and the data folder where unset.'),
  PLY_BLOBS_URL: variable(optional(address('file', 's3', 's3+http')), null, 'Blobs: `file:///shared/folder`, or `s3://key:secret@host/bucket?region=...` (`s3+http` without TLS); a folder in the data folder where unset.'),
  PLY_EMBEDDING_MODEL: variable(optional(text()), null, 'Folder of the local embedding model (model.onnx, vocab.txt, model.json); the one that the set-up made where unset.'),
  PLY_EMBEDDINGS_URL: variable(optional(address('http', 'https')), null, 'Base address of an OpenAI-compatible embeddings server (`/v1/embeddings` is added); the local model where unset.'),
  PLY_EMBEDDINGS_MODEL: variable(text(200), 'all-MiniLM-L6-v2', 'Model name sent to the embeddings server.'),
  PLY_EMBEDDINGS_KEY: variable(optional(text(1000)), null, 'Bearer token for the embeddings server.'),
  PLY_EMBEDDINGS_DIMENSIONS: variable(whole(1, 8192), 384, 'Size of the vectors that the embeddings server must answer.'),
  PLY_EMBEDDINGS_LANGUAGES: variable(text(200), 'en', 'Primary language subtags that the embeddings server knows, comma separated, or `*`.'),
  PLY_EMBEDDING_THREADS: variable(whole(0, 64), Math.max(1, availableParallelism()), 'Worker threads of the local embedding model; 0 searches by words alone.', 'number of cores'),
  PLY_SPEECH_URL: variable(optional(address('http', 'https')), null, 'Base address of an OpenAI-compatible speech server (`/v1/audio/transcriptions` is added); pocketsphinx on this machine where unset.'),
  PLY_SPEECH_MODEL: variable(text(200), 'whisper-1', 'Model name sent to the speech server.'),
  PLY_SPEECH_KEY: variable(optional(text(1000)), null, 'Bearer token for the speech server.'),
  PLY_SPEECH_LANGUAGES: variable(text(400), '*', 'Primary language subtags that the speech server knows, comma separated, or `*`.'),
  PLY_SPEECH_SECONDS: variable(whole(5, 7200), 300, 'Time that transcribing one piece of about half a minute may take.'),
  PLY_ANSWERS_URL: variable(optional(address('http', 'https')), null, 'Base address of an OpenAI-compatible chat server that writes answers (`/v1/chat/completions` is added); answers are quoted sentences where unset, and where it fails.'),
  PLY_ANSWERS_MODEL: variable(text(200), 'gpt-4o-mini', 'Model name sent to the chat server.'),
  PLY_ANSWERS_KEY: variable(optional(text(1000)), null, 'Bearer token for the chat server.'),
  PLY_ANSWERS_SECONDS: variable(whole(1, 25), 20, 'Time that the chat server may take for an answer, all attempts together.'),
  PLY_TRANSCRIBER_WORKERS: variable(whole(0, 64), Math.max(1, availableParallelism()), 'Pieces of recordings that this process transcribes at a time, for all transcribers of the cluster; 0 transcribes nothing: recordings fail.', 'number of cores'),
  PLY_TRANSCRIBER_SLOTS: variable(whole(1, 64), Math.min(64, Math.max(12, 4 * availableParallelism())), 'Recordings under way in this process, whose pieces take turns. One organization that is alone has three quarters of the places at most.', 'four times the number of cores, at least 12'),
  PLY_RELEVANCE_FILE: variable(optional(text()), null, 'Fitted relevance coefficients; the shipped ones of the embedding model where unset.'),
  PLY_EXTRACTOR_SLOTS: variable(whole(1, 64), Math.max(1, availableParallelism()), 'Files that this process reads at a time, each in a process apart. Sixteen times as many are downloaded, stored or wait meanwhile.', 'number of cores'),
  PLY_EMBEDDER_SLOTS: variable(whole(1, 64), Math.min(64, Math.max(32, 4 * availableParallelism())), 'Files that this process embeds at a time. While one waits for the disk, others have the model. One organization that is alone has three quarters of the places at most.', 'four times the number of cores, at least 32'),
  PLY_EXTRACTION_MEMORY_MB: variable(whole(64, 16384), 512, 'Memory that one extraction process may use.'),
  PLY_SOURCE_SECONDS: variable(whole(1, 86_400), 3600, 'Time that reading one source may take before it is tried again.'),
  PLY_EXTRACTION_SECONDS: variable(whole(5, 7200), 600, 'Time that one extraction may take.'),
  PLY_MAX_PDF_PAGES: variable(whole(1, 100_000), 5000, 'Pages that a PDF may have.'),
  PLY_MEDIA_SLOTS: variable(whole(1, 64), Math.max(1, availableParallelism()), 'Recordings that this process decodes at a time, each in processes apart.', 'number of cores'),
  PLY_MEDIA_MEMORY_MB: variable(whole(64, 16384), 512, 'Memory that one process decoding a recording may use.'),
  PLY_MEDIA_CPU_SECONDS: variable(whole(5, 86_400), 7200, 'Processor time that decoding one recording may take.'),
  PLY_SLIDE_READERS: variable(whole(1, 64), Math.max(1, availableParallelism()), 'Pictures of videos whose text this process reads at a time, each in a process apart.', 'number of cores'),
  PLY_SLIDE_MEMORY_MB: variable(whole(64, 16384), 512, 'Memory that reading one picture may use.'),
  PLY_SLIDE_SECONDS: variable(whole(1, 600), 20, 'Time that reading one picture may take; one that takes longer is left out.'),
  PLY_MAX_FILE_BYTES: variable(whole(1, 1024 * GiB), 20 * GiB, 'Largest media file; shown by /capabilities.'),
  PLY_MAX_DOCUMENT_BYTES: variable(whole(1, 16 * GiB), 512 * MiB, 'Largest document; shown by /capabilities.'),
  PLY_MAX_AUDIO_SECONDS: variable(whole(1, 604_800), 43_200, 'Longest recording; shown by /capabilities.'),
  PLY_MAX_BODY_BYTES: variable(whole(1024, 256 * MiB), 32 * MiB, 'Largest JSON body of a request.'),
  PLY_PLANS_FILE: variable(optional(text()), null, 'JSON file of the plans that `ply account set --plan` applies, such as `plans/examples.json`; none where unset.'),
  PLY_REQUESTS_PER_MINUTE: variable(whole(1, 100_000_000), 60_000, 'Requests of an organization a minute, where its plan does not say.'),
  PLY_SEARCH_REQUESTS_PER_MINUTE: variable(whole(1, 100_000_000), 12_000, 'Searches of an organization a minute, where its plan does not say.'),
  PLY_REGISTRATIONS_PER_MINUTE: variable(whole(1, 100_000_000), 60_000, 'Registrations (requests) of an organization a minute, where its plan does not say.'),
  PLY_AUDIT_DAYS: variable(whole(0, 36_500), 3650, 'Days for which rows of the account audit are kept; 0 keeps all. The newest row of an account always stays.'),
  PLY_ORGANIZATION_SLOTS: variable(whole(1, 10_000), 24, 'Jobs of one organization that may be dispatched for a stage at a time.'),
  PLY_LEASE_SECONDS: variable(whole(1, 600), 30, 'How long a worker may be silent before its work is given to another.'),
  PLY_RETRY_BASE_MS: variable(whole(10, 600_000), 10_000, 'Longest wait before the second attempt of a step, in milliseconds; it doubles with each further one, up to 15 minutes.'),
  PLY_STOP_TIMEOUT: variable(whole(1, 600), 20, 'Seconds in which a stopping process ends its work.'),
  PLY_READER_THREADS: variable(whole(1, 64), Math.max(1, availableParallelism()), 'Threads that search the embedded index.', 'number of cores'),
  PLY_VECTOR_MEMORY_MB: variable(whole(1, 65_536), 256, 'Memory for vectors of the embedded index, shared out among its reader threads: each holds those that its searches compare, so passages times 1.5 KiB (384 dimensions) times threads hold all. Vectors without room are read from the file by each search.'),
  PLY_LOG_LEVEL: variable(oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace'), 'info', 'Least level of what is logged.'),
  PLY_OTLP_URL: variable(optional(baseAddress), null, 'Base address of a collector that takes traces by OTLP over HTTP (`/v1/traces` is added); no traces where unset.'),
  PLY_TRACE_RATIO: variable(share, 1, 'Share of the requests and jobs that are traced, where PLY_OTLP_URL is set.'),
  PLY_SECRET_KEY: variable(optional(text(200)), null, '32 bytes as base64 or base64url, with which secrets are sealed; made at the first start in the data folder where unset. Processes of one cluster need the same.'),
  PLY_NEXT_SECRET_KEY: variable(optional(text(200)), null, 'The key that PLY_SECRET_KEY will be: while the processes of a cluster are changed over one after the other, those that still seal with the former key open with this one, too.'),
  PLY_FORMER_SECRET_KEYS: variable(secretKeyList, [], 'Keys that PLY_SECRET_KEY was before: they open what they have sealed, which is sealed anew in the background. `ply secrets` tells when one may be dropped.', 'none'),
  PLY_API_URL: variable(optional(address('http', 'https')), null, 'Command line: address of the API, without a path; the program on this machine where unset.'),
  PLY_API_KEY: variable(optional(keyText), null, 'Command line: key for the API; the standard key of the first start where unset.'),
  PLY_ORGANIZATION_ID: variable(optional(uuid), null, "Command line: organization to work in; the first account's own where unset."),
  PLY_BOOTSTRAP_ORGANIZATION_ID: variable(optional(uuid), null, "Id of the first account's own organization, at the first start only."),
  PLY_BOOTSTRAP_ADMIN_KEY: variable(optional(keyText), null, 'First admin key, at the first start only.'),
  PLY_BOOTSTRAP_STANDARD_KEY: variable(optional(keyText), null, 'First standard key, at the first start only.'),
  PLY_BOOTSTRAP_EMAIL: variable(optional(text(320)), null, 'E-mail address of the first dashboard owner, at the first start only.'),
  PLY_BOOTSTRAP_PASSWORD: variable(optional(text(200)), null, 'Password of the first dashboard owner, at the first start only.'),
} satisfies Record<`PLY_${string}`, Variable<unknown>>;

type Variables = typeof variables;

/** The values of all variables, parsed and checked. */
export type Configuration = { readonly [K in keyof Variables]: Variables[K] extends Variable<infer T> ? T : never };

/** What is wrong with the environment, one line for each fault. */
export class ConfigurationError extends Error {
  constructor(faults: readonly string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigurationError';
  }
}

/** The table with each variable tied to the type of its value. */
const table: { readonly [K in keyof Configuration]: Variable<Configuration[K]> } = variables;

/** The name of a variable. */
export type VariableName = keyof Configuration;

function isVariableName(word: string): word is VariableName {
  return Object.hasOwn(table, word);
}

/** The names of all variables, in the order of the documentation. */
export const variableNames: readonly VariableName[] = Object.keys(table).filter(isVariableName);

/** The variables, at most three, that share most words with a name that is none, as the end of a message. */
function suggestions(unknown: string): string {
  const words = new Set(unknown.split('_').slice(1));
  const shared = (name: string): number => name.split('_').filter((word) => words.has(word)).length;
  const most = Math.max(...variableNames.map(shared));
  if (most === 0) return '';
  const nearest = variableNames.filter((name) => shared(name) === most).slice(0, 3);
  return `; there ${nearest.length === 1 ? 'is' : 'are'} ${nearest.join(', ')}`;
}

type Values = { -readonly [K in VariableName]?: Configuration[K] };

function readOne<K extends VariableName>(values: Values, name: K, given: string | undefined, faults: string[]): void {
  const { kind, fallback } = table[name];
  values[name] = fallback;
  if (given === undefined || given === '') return;
  try {
    values[name] = kind.parse(given);
  } catch (error) {
    faults.push(`${name}: ${error instanceof Error ? error.message : 'not valid'}`);
  }
}

function areComplete(values: Values): values is Configuration {
  return variableNames.every((name) => Object.hasOwn(values, name));
}

/** Processes of a cluster share their stores and their secrets, so nothing of that may stay embedded. */
function clusterFaults({ PLY_NATS_URL, ...others }: Configuration): string[] {
  if (PLY_NATS_URL === null) return [];
  const stores = ['PLY_MONGO_URL', 'PLY_MILVUS_URL', 'PLY_REDIS_URL', 'PLY_BLOBS_URL'] as const;
  const faults = stores
    .filter((store) => others[store] === null)
    .map((store) => `${store}: needed with PLY_NATS_URL, because processes of a cluster share their stores`);
  if (others.PLY_SECRET_KEY === null) faults.push('PLY_SECRET_KEY: needed with PLY_NATS_URL, because processes of a cluster share their sealed secrets');
  return faults;
}

/**
 * Reads the configuration from an environment. Variables that begin with `PLY_TEST_` belong to the tests.
 * @throws ConfigurationError naming every variable that is unknown, malformed or missing.
 */
export function readConfiguration(environment: Readonly<Record<string, string | undefined>>): Configuration {
  const faults = Object.keys(environment)
    .filter((name) => name.startsWith('PLY_') && !name.startsWith('PLY_TEST_') && !isVariableName(name))
    .map((name) => `${name}: there is no such variable${suggestions(name)} (see docs/configuration.md)`);
  const values: Values = {};
  for (const name of variableNames) readOne(values, name, environment[name], faults);
  if (!areComplete(values)) throw new Error('a variable was not read');
  faults.push(...clusterFaults(values));
  if (faults.length > 0) throw new ConfigurationError(faults);
  return values;
}
