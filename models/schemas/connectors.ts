import type { AzureBlobConfig, CanvasConfig, ConnectorKind, ConnectorSource, S3Config } from '../connector.ts';
import { invalid } from '../errors.ts';
import {
  annotated,
  answer,
  boolean as yesOrNo,
  count,
  described,
  id,
  listOf,
  literals,
  orNull,
  text as anyText,
  time,
} from './answers/answer.ts';
import {
  type Infer,
  customSchema,
  withDefault,
  isObject,
  named,
  nullable,
  object,
  required,
  type Schema,
} from './schema.ts';
import { boolean, mapped, text, oneOf } from './values.ts';

const kinds = ['s3', 'azure_blob', 'canvas'] as const satisfies ConnectorKind[];

/** The deployment decides which addresses, ports and schemes are allowed. */
const addressForm = {
  source: '^[hH][tT][tT][pP][sS]?://[^@/?#\\\\\\u0000-\\u0020\\u007f]+(/[^?#\\\\\\u0000-\\u0020\\u007f]*)?$',
  expected: 'an http or https address without credentials, query or fragment',
};
const address = mapped(text(1, 2048, addressForm), (given) => {
  if (!URL.canParse(given)) throw invalid([], `must be ${addressForm.expected}`);
  return given;
});
/** S3-compatible stores differ in the names that they allow; none allows a name that changes the path. */
const bucket = text(2, 255, { source: '^[A-Za-z0-9][A-Za-z0-9._-]*$', expected: 'the name of a bucket' });
const container = text(1, 63, {
  source: '^(\\$root|\\$web|\\$logs|[a-z0-9](-?[a-z0-9])*)$',
  expected: 'the name of a container',
});
const word128 = { source: '^[\\x21-\\x7e]+$', expected: 'printable ASCII characters without spaces' };
const prefix = text(0, 1024);

const s3Config: Schema<S3Config> = object({
  endpoint: required(address),
  bucket: required(bucket),
  region: withDefault(text(1, 128, word128), 'us-east-1'),
  prefix: withDefault(prefix, ''),
  accessKeyId: required(text(1, 256, word128)),
});
const noObject = 'must be an object';
const byService = object({
  blobService: required(address),
  container: required(container),
  prefix: withDefault(prefix, ''),
});
const byContainer = object({ containerUrl: required(address), prefix: withDefault(prefix, '') });
const azureConfig: Schema<AzureBlobConfig> = customSchema(
  { anyOf: [byService.json, byContainer.json] },
  (value) => {
    if (!isObject(value) || !Object.hasOwn(value, 'containerUrl')) return byService.check(value);
    const { containerUrl, prefix: given } = byContainer.check(value);
    const parts = containerParts(new URL(containerUrl));
    if (parts === null) throw invalid(['containerUrl'], 'must be the address of a container');
    return { ...parts, prefix: given };
  },
  { required: noObject, checked: byService.checked },
);
const canvasConfig: Schema<CanvasConfig> = object({ baseUrl: required(address) });

/** Whether this host has the account in the path, as emulators do: an IP address, or a name without dots. */
function namesAccountInPath({ hostname }: URL): boolean {
  return !hostname.includes('.') || hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
}

/** The older single address of a container: the account's endpoint and the container's name. Null if it is invalid. */
function containerParts(url: URL): { blobService: string; container: string } | null {
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  const name = segments.at(-1);
  if (name === undefined || segments.length !== (namesAccountInPath(url) ? 2 : 1)) return null;
  try {
    return { blobService: [url.origin, ...segments.slice(0, -1)].join('/'), container: container.check(name) };
  } catch {
    // The error of the check is about a container's name, not about an address.
    return null;
  }
}

/** Header values, and so printable ASCII: access keys, shared access signatures and tokens. */
const credential = text(1, 8192, word128);

const options = {
  name: required(text(1, 200)),
  /** Null: not sent; a replacement keeps the stored one. */
  credential: withDefault(credential, null),
  schedule: withDefault(oneOf('nightly', 'manual'), 'manual' as const),
  enabled: withDefault(boolean, true),
  defaultAclMode: withDefault(oneOf('open', 'restricted'), 'restricted' as const),
  extractContentFromVideoFrames: withDefault(nullable(boolean), null),
};

function connectorOf<const K extends ConnectorKind, C>(title: string, kind: K, config: Schema<C>) {
  const { name, ...others } = options;
  return named(title, object({ kind: required(oneOf(kind)), name, config: required(config), ...others }));
}

type Sent<K extends ConnectorKind, C> = Omit<Infer<typeof checkedInput>, 'source'> & { kind: K; config: C };

const shapes = {
  s3: connectorOf('S3ConnectorInput', 's3', s3Config) satisfies Schema<Sent<'s3', S3Config>>,
  azure_blob: connectorOf('AzureBlobConnectorInput', 'azure_blob', azureConfig) satisfies Schema<
    Sent<'azure_blob', AzureBlobConfig>
  >,
  canvas: connectorOf('CanvasConnectorInput', 'canvas', canvasConfig) satisfies Schema<Sent<'canvas', CanvasConfig>>,
};
const anyKind = object({ kind: required(oneOf(...kinds)) });

function inputOf<K extends ConnectorKind, C>(
  { kind, config, ...rest }: Sent<K, C>,
  source: (kind: K, config: C) => ConnectorSource,
): Infer<typeof checkedInput> {
  return { source: source(kind, config), ...rest };
}

/** The source of a connector as the connectors actor receives it. */
const sources: { [K in ConnectorKind]: Schema<ConnectorSource> } = {
  s3: object({ kind: required(oneOf('s3')), config: required(s3Config) }),
  azure_blob: object({ kind: required(oneOf('azure_blob')), config: required(byService) }),
  canvas: object({ kind: required(oneOf('canvas')), config: required(canvasConfig) }),
};

function kindOf(value: unknown): ConnectorKind {
  const given =
    isObject(value) && Object.hasOwn(value, 'kind') ? { kind: value['kind'] } : isObject(value) ? {} : value;
  return anyKind.check(given).kind;
}

const source = customSchema<ConnectorSource>({}, (value) => sources[kindOf(value)].check(value), {
  required: noObject,
});
const checkedInput = object({ source: required(source), ...options });

/** Body of POST /connectors and PUT /connectors/{connectorId}. */
export const connectorInput = customSchema<Infer<typeof checkedInput>>(
  { anyOf: [shapes.s3.json, shapes.azure_blob.json, shapes.canvas.json] },
  (value) => {
    switch (kindOf(value)) {
      case 's3':
        return inputOf(shapes.s3.check(value), (kind, config) => ({ kind, config }));
      case 'azure_blob':
        return inputOf(shapes.azure_blob.check(value), (kind, config) => ({ kind, config }));
      case 'canvas':
        return inputOf(shapes.canvas.check(value), (kind, config) => ({ kind, config }));
    }
  },
  { required: noObject, checked: checkedInput.checked },
);

const summary = answer('SyncSummary', {
  new: count,
  changed: count,
  unchanged: count,
  reauthorized: count,
  moved: count,
  removed: count,
  failed: count,
});
const failure = answer('SyncFailure', { externalId: anyText, errorCode: anyText, seenAt: time });

/** A connector. Its credential is never shown. */
export const connectorAnswer = answer('Connector', {
  connectorId: id,
  kind: literals(...kinds),
  name: anyText,
  config: described<{ [name: string]: string }>({
    type: 'object',
    additionalProperties: anyText.json,
    description: 'The fields of its kind.',
  }),
  credentialSet: yesOrNo,
  schedule: literals('nightly', 'manual'),
  enabled: yesOrNo,
  syncPending: yesOrNo,
  defaultAclMode: literals('open', 'restricted'),
  extractContentFromVideoFrames: orNull(yesOrNo),
  notifyUrl: orNull(
    annotated(anyText, {
      description:
        'Where storage events of the source are sent to: whoever has this address may. Null where the service has no public address.',
    }),
  ),
  lastRunAt: orNull(time),
  lastError: orNull(anyText),
  lastSummary: orNull(summary),
  failures: annotated(listOf(failure), { maxItems: 20 }),
  createdAt: time,
  updatedAt: time,
});

/** All connectors of an organization. */
export const connectorsAnswer = answer('Connectors', { items: listOf(connectorAnswer) });

/** A sync that was requested. */
export const syncRequestAnswer = answer('SyncRequest', { connectorId: id, syncPending: yesOrNo, requestedAt: time });
