import type { AppContext } from '../../mixins/app-context.ts';
import { settingsOf } from '../../mixins/settings/settings.ts';
import { checkSourceUrl, type AddressRules } from '../../mixins/sources/addresses.ts';
import type { ConnectorSource } from '../../models/connector.ts';

/**
 * Checks the address of a connector's source like that of a registered file: against the deployment's ceiling, the
 * organization's `sourceHosts` and the rules for private networks. The normalized address has no trailing slash.
 * @throws Refusal `validation_error`, `source_host_not_allowed`, `source_host_outside_ceiling`
 */
export async function checkSource(
  app: Pick<AppContext, 'records' | 'runtime' | 'configuration'>,
  organizationId: string,
  source: ConnectorSource,
): Promise<ConnectorSource> {
  const { PLY_PRIVATE_NETWORKS: privateNetworks, PLY_ALLOWED_HOST_CEILING: ceiling } = app.configuration;
  const { sourceHosts } = await settingsOf(app, organizationId);
  const checked = (field: string, address: string): string =>
    plain(
      checkSourceUrl(address, {
        privateNetworks,
        ceiling,
        sourceHosts,
        field: ['body', 'config', field],
      } satisfies AddressRules),
    );
  switch (source.kind) {
    case 's3':
      return { ...source, config: { ...source.config, endpoint: checked('endpoint', source.config.endpoint) } };
    case 'azure_blob':
      return {
        ...source,
        config: { ...source.config, blobService: checked('blobService', source.config.blobService) },
      };
    case 'canvas':
      return { ...source, config: { ...source.config, baseUrl: checked('baseUrl', source.config.baseUrl) } };
  }
}

function plain(url: URL): string {
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Where a source's credential is sent: its kind, scheme, host and port. */
export function destinationOf(source: ConnectorSource): string {
  return `${source.kind} ${new URL(addressOf(source)).origin}`;
}

function addressOf(source: ConnectorSource): string {
  switch (source.kind) {
    case 's3':
      return source.config.endpoint;
    case 'azure_blob':
      return source.config.blobService;
    case 'canvas':
      return source.config.baseUrl;
  }
}
