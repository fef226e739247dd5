import type { Ambient } from '../../models/ambient.ts';
import type { ConnectorSource } from '../../models/connector.ts';
import type { Source, SourceClient } from './port.ts';

/** What a connector's source is made from. */
export interface SourceOptions {
  source: ConnectorSource;
  /** The opened credential: secret access key, shared access signature, or access token. */
  credential: string;
  /** The guarded client, with the rules for hosts of the organization. */
  client: SourceClient;
  ambient: Pick<Ambient, 'now'>;
  /** Whether it is asked who may see the files, where the source knows (Canvas); true where left out. */
  withPrincipals?: boolean;
}

/**
 * Opens a connector's source. Nothing is asked yet. The libraries of the protocols are loaded with the first source that needs
 * them, so that a program without connectors stays small.
 * @throws SourceError `refused` where the configuration names no usable place
 */
export async function openConnectorSource(options: SourceOptions): Promise<Source> {
  const { source, credential, client, ambient, withPrincipals = true } = options;
  switch (source.kind) {
    case 's3':
      return (await import('./s3/s3.ts')).openS3Source({ config: source.config, secret: credential, client, ambient });
    case 'azure_blob':
      return (await import('./azure/azure.ts')).openAzureSource({ config: source.config, token: credential, client });
    case 'canvas':
      return (await import('./canvas/canvas.ts')).openCanvasSource({ config: source.config, token: credential, client, ambient, withPrincipals });
  }
}
