import type { components } from '../../api/schema.d.ts';
import type { Connector } from './state.tsx';

/** What is sent to make or to replace a connector. */
export type ConnectorInput =
  | components['schemas']['S3ConnectorInput']
  | components['schemas']['AzureBlobConnectorInput']
  | components['schemas']['CanvasConnectorInput'];

/** The fields of each kind of source, in the order of the form. */
export const configFields = {
  s3: ['endpoint', 'bucket', 'region', 'accessKeyId', 'prefix'],
  azure_blob: ['blobService', 'container', 'prefix'],
  canvas: ['baseUrl'],
} as const;

/** A field of a source. */
export type ConfigField = (typeof configFields)[Connector['kind']][number];

/** What the form of a connector holds. */
export interface ConnectorForm {
  kind: Connector['kind'];
  name: string;
  /** Fields of every kind, so that a change of the kind and back keeps what was typed. */
  config: { readonly [name in ConfigField]?: string };
  /** Empty: the stored one stays. */
  credential: string;
  schedule: Connector['schedule'];
  enabled: boolean;
  defaultAclMode: Connector['defaultAclMode'];
  extractContentFromVideoFrames: boolean | null;
}

/** The form of a new connector. */
export const newForm: ConnectorForm = {
  kind: 's3',
  name: '',
  config: { region: 'us-east-1' },
  credential: '',
  schedule: 'nightly',
  enabled: true,
  defaultAclMode: 'restricted',
  extractContentFromVideoFrames: null,
};

/** The form of a connector as it is. */
export function formOf(connector: Connector): ConnectorForm {
  const { kind, name, config, schedule, enabled, defaultAclMode, extractContentFromVideoFrames } = connector;
  return { kind, name, config, credential: '', schedule, enabled, defaultAclMode, extractContentFromVideoFrames };
}

/** What a form sends: the fields of its kind alone. */
export function inputOf(form: ConnectorForm): ConnectorInput {
  const { kind, name, config, credential, ...options } = form;
  const text = (field: ConfigField): string => (config[field] ?? '').trim();
  const common = { name: name.trim(), ...options, ...(credential === '' ? {} : { credential }) };
  switch (kind) {
    case 's3':
      return {
        ...common,
        kind,
        config: {
          endpoint: text('endpoint'),
          bucket: text('bucket'),
          region: text('region'),
          prefix: config.prefix ?? '',
          accessKeyId: text('accessKeyId'),
        },
      };
    case 'azure_blob':
      return {
        ...common,
        kind,
        config: { blobService: text('blobService'), container: text('container'), prefix: config.prefix ?? '' },
      };
    case 'canvas':
      return { ...common, kind, config: { baseUrl: text('baseUrl') } };
  }
}
