import type { AzureBlobConfig, CanvasConfig, ConnectorInput, ConnectorKind, ConnectorSource, ConnectorView, S3Config, SyncSummary } from '../connector.ts';
import { invalid } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { answer, count, id, listOf, orNull, text as anyText, time, words } from './answers.ts';
import { filled, isObject, named, nullable, object, required, type Schema } from './schema.ts';
import { flag, mapped, text, word } from './values.ts';

const kinds = ['s3', 'azure_blob', 'canvas'] as const satisfies ConnectorKind[];

/** What may be reached, and by http or at another port, is the deployment's to say. */
const addressForm = { source: '^[hH][tT][tT][pP][sS]?://[^@/?#\\\\\\u0000-\\u0020\\u007f]+(/[^?#\\\\\\u0000-\\u0020\\u007f]*)?$', expected: 'an http or https address without credentials, query or fragment' };
const address = mapped(text(1, 2048, addressForm), (given) => {
  if (!URL.canParse(given)) throw invalid([], `must be ${addressForm.expected}`);
  return given;
});
/** S3-compatible stores differ in which names they take; none of them takes what would be another path. */
const bucket = text(2, 255, { source: '^[A-Za-z0-9][A-Za-z0-9._-]*$', expected: 'the name of a bucket' });
const container = text(1, 63, { source: '^(\\$root|\\$web|\\$logs|[a-z0-9](-?[a-z0-9])*)$', expected: 'the name of a container' });
const word128 = { source: '^[\\x21-\\x7e]+$', expected: 'printable ASCII characters without spaces' };
const prefix = text(0, 1024);

const s3Config: Schema<S3Config> = object({
  endpoint: required(address),
  bucket: required(bucket),
  region: filled(text(1, 128, word128), 'us-east-1'),
  prefix: filled(prefix, ''),
  accessKeyId: required(text(1, 256, word128)),
});
const byService = object({ blobService: required(address), container: required(container), prefix: filled(prefix, '') });
const byContainer = object({ containerUrl: required(address), prefix: filled(prefix, '') });
const azureConfig: Schema<AzureBlobConfig> = {
  json: { anyOf: [byService.json, byContainer.json] },
  check: (value) => {
    if (!isObject(value) || !Object.hasOwn(value, 'containerUrl')) return byService.check(value);
    const { containerUrl, prefix: given } = byContainer.check(value);
    const parts = containerParts(new URL(containerUrl));
    if (parts === null) throw invalid(['containerUrl'], 'must be the address of a container');
    return { ...parts, prefix: given };
  },
};
const canvasConfig: Schema<CanvasConfig> = object({ baseUrl: required(address) });

/** Whether accounts of this host stand in the path, as those of emulators do: an IP address, or a name without dots. */
function namesAccountInPath({ hostname }: URL): boolean {
  return !hostname.includes('.') || hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
}

/** The older single address of a container: the account's endpoint and the container's name. Null where it is none. */
function containerParts(url: URL): { blobService: string; container: string } | null {
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  const name = segments.at(-1);
  if (name === undefined || segments.length !== (namesAccountInPath(url) ? 2 : 1)) return null;
  try {
    return { blobService: [url.origin, ...segments.slice(0, -1)].join('/'), container: container.check(name) };
  } catch {
    // What the check says is of a container's name, and this is an address.
    return null;
  }
}

/** Header values, so printable ASCII alone: access keys, shared access signatures and tokens are. */
const credential = text(1, 8192, word128);

function connectorOf<const K extends ConnectorKind, C>(name: string, kind: K, config: Schema<C>) {
  return named(name, object({
    kind: required(word(kind)),
    name: required(text(1, 200)),
    config: required(config),
    credential: filled(credential, null),
    schedule: filled(word('nightly', 'manual'), 'manual' as const),
    enabled: filled(flag, true),
    defaultAclMode: filled(word('open', 'restricted'), 'restricted' as const),
    extractContentFromVideoFrames: filled(nullable(flag), null),
  }));
}

type Sent<K extends ConnectorKind, C> = Omit<ConnectorInput, 'source'> & { kind: K; config: C };

const shapes = {
  s3: connectorOf('S3ConnectorInput', 's3', s3Config) satisfies Schema<Sent<'s3', S3Config>>,
  azure_blob: connectorOf('AzureBlobConnectorInput', 'azure_blob', azureConfig) satisfies Schema<Sent<'azure_blob', AzureBlobConfig>>,
  canvas: connectorOf('CanvasConnectorInput', 'canvas', canvasConfig) satisfies Schema<Sent<'canvas', CanvasConfig>>,
};
const anyKind = object({ kind: required(word(...kinds)) });

function inputOf<K extends ConnectorKind, C>({ kind, config, ...rest }: Sent<K, C>, source: (kind: K, config: C) => ConnectorSource): ConnectorInput {
  return { source: source(kind, config), ...rest };
}

/** Body of POST /connectors and PUT /connectors/{connectorId}. */
export const connectorInput: Schema<ConnectorInput> = {
  json: { anyOf: [shapes.s3.json, shapes.azure_blob.json, shapes.canvas.json] },
  check: (value) => {
    const given = isObject(value) && Object.hasOwn(value, 'kind') ? { kind: value['kind'] } : isObject(value) ? {} : value;
    switch (anyKind.check(given).kind) {
      case 's3':
        return inputOf(shapes.s3.check(value), (kind, config) => ({ kind, config }));
      case 'azure_blob':
        return inputOf(shapes.azure_blob.check(value), (kind, config) => ({ kind, config }));
      case 'canvas':
        return inputOf(shapes.canvas.check(value), (kind, config) => ({ kind, config }));
    }
  },
};

const summary = answer<SyncSummary>('SyncSummary', { new: count, changed: count, unchanged: count, reauthorized: count, moved: count, removed: count, failed: count });
const failure = answer<ConnectorView['failures'][number]>('SyncFailure', { externalId: anyText, errorCode: anyText, seenAt: time });
const yes: JsonObject = { type: 'boolean' };

/** A connector. Its credential is never shown. */
export const connectorAnswer = answer<ConnectorView>('Connector', {
  connectorId: id,
  kind: words(...kinds),
  name: anyText,
  config: { type: 'object', additionalProperties: anyText, description: 'The fields of its kind.' },
  credentialSet: yes,
  schedule: words('nightly', 'manual'),
  enabled: yes,
  syncPending: yes,
  defaultAclMode: words('open', 'restricted'),
  extractContentFromVideoFrames: orNull(yes),
  notifyUrl: orNull({ type: 'string', description: 'Where storage events of the source are sent to: whoever has this address may. Null where the service has no public address.' }),
  lastRunAt: orNull(time),
  lastError: orNull(anyText),
  lastSummary: orNull(summary.json),
  failures: { ...listOf(failure), maxItems: 20 },
  createdAt: time,
  updatedAt: time,
});

/** All connectors of an organization. */
export const connectorsAnswer = answer<{ items: ConnectorView[] }>('Connectors', { items: listOf(connectorAnswer) });

/** A sync that was asked for. */
export const syncRequestAnswer = answer<{ connectorId: string; syncPending: boolean; requestedAt: string }>('SyncRequest', { connectorId: id, syncPending: yes, requestedAt: time });
