import type { Runtime } from '../../models/runtime.ts';
import type { ConnectorSource } from '../../models/connector.ts';
import type { Source, SourceClient } from './port.ts';

/** Options to open a connector's source. */
export interface SourceOptions {
  source: ConnectorSource;
  /** The decrypted credential: secret access key, shared access signature, or access token. */
  credential: string;
  /** The guarded client, with the organization's rules for hosts. */
  client: SourceClient;
  runtime: Pick<Runtime, 'now'>;
  /** Whether to read who may see the files, where the source provides it (Canvas); true by default. */
  withPrincipals?: boolean;
}

/**
 * Opens a connector's source without a request. The libraries of the protocols are loaded with the first source that
 * needs them, which saves memory without connectors.
 * @throws SourceError `refused` for an invalid configuration
 */
export async function openConnectorSource(options: SourceOptions): Promise<Source> {
  const { source, credential, client, runtime, withPrincipals = true } = options;
  switch (source.kind) {
    case 's3':
      return (await import('./s3/s3.ts')).openS3Source({ config: source.config, secret: credential, client, runtime });
    case 'azure_blob':
      return (await import('./azure/azure.ts')).openAzureSource({ config: source.config, token: credential, client });
    case 'canvas':
      return (await import('./canvas/canvas.ts')).openCanvasSource({
        config: source.config,
        token: credential,
        client,
        runtime,
        withPrincipals,
      });
  }
}
