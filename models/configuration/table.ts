import { availableParallelism } from 'node:os';
import { loadVariables } from './load-variables.ts';
import { doorVariables } from './door-variables.ts';
import { deliveryVariables } from './delivery-variables.ts';
import { mediaVariables } from './media-variables.ts';
import {
  address,
  baseAddress,
  host,
  hostList,
  keyText,
  natsPrefix,
  networkList,
  oneOf,
  optional,
  secretKeyList,
  share,
  listOf,
  text,
  uuid,
  uuidList,
  variable,
  integer,
  type Variable,
} from './variables.ts';

const roles = [
  'gateway',
  'accounts',
  'registrar',
  'connectors',
  'scheduler',
  'extractor',
  'transcriber',
  'embedder',
  'searcher',
  'ledger',
  'storage',
  'delivery',
  'encoder',
  'webhooks',
  's3',
  'blob',
] as const;

/** A part of the product that a process can run. */
export type Role = (typeof roles)[number];

const MiB = 2 ** 20;
const GiB = 2 ** 30;

/** Every variable that the program reads, in the order of the documentation. */
export const variables = {
  PLY_ROLES: variable(listOf(...roles), roles, 'Roles that this process runs.', 'all'),
  PLY_HOST: variable(host, '127.0.0.1', 'Address that all listeners bind to.'),
  PLY_API_PORT: variable(integer(0, 65535), 3000, 'Port of the API. 0 selects a free port.'),
  PLY_DELIVERY_PORT: variable(
    integer(0, 65535),
    3001,
    'Port that files of buckets are delivered at. 0 selects a free port.',
  ),
  ...doorVariables,
  PLY_METRICS_PORT: variable(integer(0, 65535), 3030, 'Port of the Prometheus metrics. 0 selects a free port.'),
  PLY_METRICS_ORGANIZATIONS: variable(uuidList, [], 'Organizations with metrics of their own, at most 20.', 'none'),
  PLY_DATA_DIR: variable(text(), './data', 'Folder for the embedded stores, the blobs and the secret key.'),
  PLY_PRIVATE_NETWORKS: variable(
    oneOf('deny', 'allow'),
    'deny',
    'Whether sources and webhooks may use http, any port, and loopback or private addresses. Use `allow` on a single machine and in tests only.',
  ),
  PLY_PUBLIC_URL: variable(
    optional(baseAddress),
    null,
    'Address at which clients reach this deployment, up to `/api`. If unset, connectors have no notification address.',
  ),
  PLY_TRUSTED_PROXIES: variable(
    networkList,
    [],
    'Proxies in front of the API whose `X-Forwarded-For` identifies the sender of a storage event. If none, the address of the connection does.',
    'none',
  ),
  PLY_ALLOWED_HOST_CEILING: variable(
    hostList,
    [],
    'The only hosts that sources may have. If none, all hosts are allowed.',
    'none',
  ),
  PLY_NATS_URL: variable(
    optional(address('nats', 'tls')),
    null,
    'NATS server that connects the processes of a cluster. If unset, one process runs alone.',
  ),
  PLY_NATS_PREFIX: variable(
    optional(natsPrefix),
    null,
    'Beginning of the names of subjects and of the stream on NATS (`<prefix>_stages`). Installations that share a NATS server need different ones; all processes of an installation need the same.',
    '`ply_` and eight digits of the id of the installation',
  ),
  PLY_MONGO_URL: variable(
    optional(address('mongodb', 'mongodb+srv')),
    null,
    'MongoDB for the records. If unset, embedded SQLite.',
  ),
  PLY_MONGO_DATABASE: variable(text(63), 'ply', 'Name of the MongoDB database.'),
  PLY_MILVUS_URL: variable(
    optional(address('http', 'https')),
    null,
    'Milvus for the passages. If unset, embedded SQLite.',
  ),
  PLY_MILVUS_COLLECTION: variable(text(63), 'ply_passages', 'Prefix of the names of the Milvus collections.'),
  PLY_REDIS_URL: variable(
    optional(address('redis', 'rediss')),
    null,
    'Redis for the counters. If unset, they are kept in this process and the data folder.',
  ),
  PLY_BLOBS_URL: variable(
    optional(address('file', 's3', 's3+http')),
    null,
    'Store for blobs: `file:///shared/folder`, or `s3://key:secret@host/bucket?region=...` (`s3+http` without TLS). If unset, a folder in the data folder.',
  ),
  PLY_OBJECTS_URL: variable(
    optional(address('file', 's3', 's3+http')),
    null,
    "Store for the objects of customers' buckets: `file:///shared/folder`, or `s3://key:secret@host/bucket?region=...` (`s3+http` without TLS). If unset, a folder in the data folder.",
  ),
  PLY_OBJECTS_GRACE_SECONDS: variable(
    integer(0, 604_800),
    3600,
    'Seconds for which the bytes of deleted and replaced objects are kept for readers that have begun.',
  ),
  PLY_REGIONS_FILE: variable(
    optional(text()),
    null,
    'JSON file of the regions for buckets. If unset, three regions with the listeners of this machine.',
  ),
  ...deliveryVariables,
  PLY_LOCAL_MODEL: variable(
    oneOf('by-language', 'all-MiniLM-L6-v2', 'multilingual-e5-small'),
    'by-language',
    'Local embedding model. `by-language`: all-MiniLM-L6-v2 for English and multilingual-e5-small for other languages.',
  ),
  PLY_EMBEDDING_MODEL: variable(optional(text()), null, 'Folder of another local embedding model for all texts.'),
  PLY_EMBEDDINGS_URL: variable(
    optional(address('http', 'https')),
    null,
    'Base address of an OpenAI-compatible embeddings server (`/v1/embeddings` is appended). If unset, the local model.',
  ),
  PLY_EMBEDDINGS_MODEL: variable(text(200), 'all-MiniLM-L6-v2', 'Model name sent to the embeddings server.'),
  PLY_EMBEDDINGS_KEY: variable(optional(text(1000)), null, 'Bearer token for the embeddings server.'),
  PLY_EMBEDDINGS_DIMENSIONS: variable(
    integer(1, 8192),
    384,
    'Number of dimensions of the vectors that the embeddings server must return.',
  ),
  PLY_EMBEDDINGS_LANGUAGES: variable(
    text(200),
    'en',
    'Languages that the embeddings server supports: primary language subtags, separated by commas, or `*`.',
  ),
  PLY_EMBEDDING_THREADS: variable(
    integer(0, 64),
    Math.max(1, availableParallelism()),
    'Worker threads of the local embedding model. With 0, search uses words only.',
    'number of cores',
  ),
  PLY_LOCAL_TRANSCRIBER: variable(
    oneOf('whisper-base', 'pocketsphinx'),
    'whisper-base',
    'Transcriber on this machine: whisper-base for about 100 languages (pocketsphinx where its model cannot be had), or pocketsphinx for English.',
  ),
  PLY_SPEECH_URL: variable(
    optional(address('http', 'https')),
    null,
    'Base address of an OpenAI-compatible speech server (`/v1/audio/transcriptions` is appended). If unset, the transcriber on this machine.',
  ),
  PLY_SPEECH_MODEL: variable(text(200), 'whisper-1', 'Model name sent to the speech server.'),
  PLY_SPEECH_KEY: variable(optional(text(1000)), null, 'Bearer token for the speech server.'),
  PLY_SPEECH_LANGUAGES: variable(
    text(400),
    '*',
    'Languages that the speech server supports: primary language subtags, separated by commas, or `*`.',
  ),
  PLY_SPEECH_SECONDS: variable(
    integer(5, 7200),
    300,
    'Seconds that transcribing one piece (about half a minute of sound) may take.',
  ),
  PLY_SPEECH_MEMORY_MB: variable(
    integer(256, 16384),
    768,
    'Memory that one process transcribing with Whisper on this machine may use, in MB.',
  ),
  PLY_ANSWERS_URL: variable(
    optional(address('http', 'https')),
    null,
    'Base address of an OpenAI-compatible chat server that writes answers (`/v1/chat/completions` is appended). If unset, or if it fails, answers are quoted sentences.',
  ),
  PLY_ANSWERS_MODEL: variable(text(200), 'gpt-4o-mini', 'Model name sent to the chat server.'),
  PLY_ANSWERS_KEY: variable(optional(text(1000)), null, 'Bearer token for the chat server.'),
  PLY_ANSWERS_SECONDS: variable(
    integer(1, 25),
    20,
    'Seconds that the chat server may take for an answer, including all attempts.',
  ),
  PLY_TRANSCRIBER_WORKERS: variable(
    integer(0, 64),
    Math.max(1, availableParallelism()),
    'Pieces of recordings that this process transcribes at a time, for all transcribers of the cluster. With 0 it transcribes nothing and recordings fail.',
    'number of cores',
  ),
  PLY_TRANSCRIBER_SLOTS: variable(
    integer(1, 64),
    Math.min(64, Math.max(12, 4 * availableParallelism())),
    'Recordings that this process handles at a time; their pieces take turns. A single organization gets at most three quarters of the slots.',
    'four times the number of cores, at least 12',
  ),
  PLY_RELEVANCE_FILE: variable(
    optional(text()),
    null,
    'File with fitted relevance coefficients. If unset, the ones shipped for the embedding model.',
  ),
  PLY_EXTRACTOR_SLOTS: variable(
    integer(1, 64),
    Math.max(1, availableParallelism()),
    'Files that this process reads at a time, each in a separate process. Sixteen times as many may be downloaded, stored or waiting meanwhile.',
    'number of cores',
  ),
  PLY_EMBEDDER_SLOTS: variable(
    integer(1, 64),
    Math.min(64, Math.max(32, 4 * availableParallelism())),
    'Files that this process embeds at a time. While one waits for the disk, others use the model. A single organization gets at most three quarters of the slots.',
    'four times the number of cores, at least 32',
  ),
  PLY_EXTRACTION_MEMORY_MB: variable(integer(64, 16384), 512, 'Memory that one extraction process may use, in MB.'),
  PLY_SOURCE_SECONDS: variable(
    integer(1, 86_400),
    3600,
    'Seconds that reading one source may take before it is retried.',
  ),
  PLY_EXTRACTION_SECONDS: variable(integer(5, 7200), 600, 'Seconds that one extraction may take.'),
  PLY_MAX_PDF_PAGES: variable(integer(1, 100_000), 5000, 'Maximum pages of a PDF.'),
  ...mediaVariables,
  PLY_MAX_FILE_BYTES: variable(
    integer(1, 1024 * GiB),
    20 * GiB,
    'Largest media file, in bytes; shown by `/capabilities`.',
  ),
  PLY_MAX_DOCUMENT_BYTES: variable(
    integer(1, 16 * GiB),
    512 * MiB,
    'Largest document, in bytes; shown by `/capabilities`.',
  ),
  PLY_MAX_AUDIO_SECONDS: variable(
    integer(1, 604_800),
    43_200,
    'Longest recording, in seconds; shown by `/capabilities`.',
  ),
  PLY_MAX_BODY_BYTES: variable(integer(1024, 256 * MiB), 32 * MiB, 'Largest JSON body of a request, in bytes.'),
  PLY_PLANS_FILE: variable(
    optional(text()),
    null,
    'JSON file of the plans that `ply account set --plan` applies, for example `plans/examples.json`. If unset, there are no plans.',
  ),
  PLY_PRICES_FILE: variable(
    optional(text()),
    null,
    'JSON file of the prices of what accounts use, for example `plans/prices-example.json`. If unset, nothing is priced.',
  ),
  PLY_STATEMENT_GRACE_HOURS: variable(
    integer(0, 720),
    72,
    'Hours after the end of a month in which its usage may still arrive: then it is closed into a statement.',
  ),
  PLY_REQUESTS_PER_MINUTE: variable(
    integer(1, 100_000_000),
    60_000,
    'Requests of an organization per minute, unless its plan sets a limit.',
  ),
  PLY_SEARCH_REQUESTS_PER_MINUTE: variable(
    integer(1, 100_000_000),
    12_000,
    'Searches of an organization per minute, unless its plan sets a limit.',
  ),
  PLY_REGISTRATIONS_PER_MINUTE: variable(
    integer(1, 100_000_000),
    60_000,
    'Registration requests of an organization per minute, unless its plan sets a limit.',
  ),
  PLY_STORAGE_REQUESTS_PER_MINUTE: variable(
    integer(1, 100_000_000),
    60_000,
    'Storage requests (buckets, objects, uploads) of an organization per minute, unless its plan sets a limit.',
  ),
  PLY_NEW_BUCKETS_PER_DAY: variable(
    integer(1, 100_000),
    20,
    'Buckets and libraries that an account may create within 24 hours, deleted ones counted too.',
  ),
  PLY_AUDIT_DAYS: variable(
    integer(0, 36_500),
    3650,
    'Days for which rows of the account audit are kept. 0 keeps all. The newest row of an account always stays.',
  ),
  PLY_ORGANIZATION_SLOTS: variable(
    integer(1, 10_000),
    24,
    'Jobs of one organization that may be dispatched to a stage at a time.',
  ),
  PLY_LEASE_SECONDS: variable(
    integer(1, 600),
    30,
    'Seconds without a renewal of its lease after which a worker loses its job to another.',
  ),
  PLY_RETRY_BASE_MS: variable(
    integer(10, 600_000),
    10_000,
    'Longest wait before the second attempt of a step, in milliseconds. It doubles with each further attempt, up to 15 minutes.',
  ),
  PLY_STOP_TIMEOUT: variable(integer(1, 600), 20, 'Seconds that a stopping process has to end its work.'),
  ...loadVariables,
  PLY_READER_THREADS: variable(
    integer(1, 64),
    Math.max(1, availableParallelism()),
    'Threads that search the embedded index.',
    'number of cores',
  ),
  PLY_VECTOR_MEMORY_MB: variable(
    integer(1, 65_536),
    512,
    'Memory for vectors of the embedded index in MB: one byte for each of their numbers, 392 bytes a passage with 384 dimensions. Libraries that were not searched for longest leave memory; of one that does not fit, each search reads the rest from a file.',
  ),
  PLY_LOG_LEVEL: variable(
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace'),
    'info',
    'Lowest level that is logged.',
  ),
  PLY_OTLP_URL: variable(
    optional(baseAddress),
    null,
    'Base address of a collector for traces, with OTLP over HTTP (`/v1/traces` is appended). If unset, there are no traces.',
  ),
  PLY_TRACE_RATIO: variable(share, 1, 'Share of requests and jobs that are traced if PLY_OTLP_URL is set.'),
  PLY_SECRET_KEY: variable(
    optional(text(200)),
    null,
    'Key that seals secrets: 32 bytes as base64 or base64url. If unset, the first start creates one in the data folder. All processes of a cluster need the same key.',
  ),
  PLY_NEXT_SECRET_KEY: variable(
    optional(text(200)),
    null,
    'The next PLY_SECRET_KEY. While the processes of a cluster switch keys one after another, those that still seal with the current key can open what the new key sealed.',
  ),
  PLY_FORMER_SECRET_KEYS: variable(
    secretKeyList,
    [],
    'Former values of PLY_SECRET_KEY. They open what they sealed, and it is sealed again in the background. `ply secrets` shows when a key can be removed.',
    'none',
  ),
  PLY_API_URL: variable(
    optional(address('http', 'https')),
    null,
    'Command line: address of the API, without a path. If unset, the program on this machine.',
  ),
  PLY_API_KEY: variable(
    optional(keyText),
    null,
    'Command line: key for the API. If unset, the standard key of the first start.',
  ),
  PLY_ORGANIZATION_ID: variable(
    optional(uuid),
    null,
    "Command line: organization to work in. If unset, the first account's own.",
  ),
  PLY_BOOTSTRAP_ORGANIZATION_ID: variable(
    optional(uuid),
    null,
    "Id of the first account's own organization; used at the first start only.",
  ),
  PLY_BOOTSTRAP_ADMIN_KEY: variable(optional(keyText), null, 'First admin key; used at the first start only.'),
  PLY_BOOTSTRAP_STANDARD_KEY: variable(optional(keyText), null, 'First standard key; used at the first start only.'),
  PLY_BOOTSTRAP_EMAIL: variable(
    optional(text(320)),
    null,
    'E-mail address of the first dashboard owner; used at the first start only.',
  ),
  PLY_BOOTSTRAP_PASSWORD: variable(
    optional(text(200)),
    null,
    'Password of the first dashboard owner; used at the first start only.',
  ),
} satisfies Record<`PLY_${string}`, Variable<unknown>>;
