import type { AppContext } from '../app-context.ts';
import { settingsOf } from '../settings/settings.ts';
import { SourceFailure } from './failure.ts';
import { hostRefusal } from './hosts.ts';

/**
 * Checks by the current settings that an organization may read from the host of an address: it is within the
 * deployment's ceiling and, where the organization lists hosts, among its `sourceHosts`.
 * @throws SourceFailure `source_host_not_allowed`, StoreUnavailable
 */
export async function checkAllowed(
  app: Pick<AppContext, 'records' | 'runtime' | 'configuration'>,
  organizationId: string,
  address: string | URL,
): Promise<void> {
  const { hostname } = new URL(address);
  const { sourceHosts } = await settingsOf(app, organizationId);
  const fault = hostRefusal(hostname, { ceiling: app.configuration.PLY_ALLOWED_HOST_CEILING, sourceHosts });
  if (fault !== null)
    throw new SourceFailure(
      'source_host_not_allowed',
      fault === 'ceiling'
        ? `${hostname} is outside the deployment's ceiling`
        : `${hostname} is not among the organization's sourceHosts`,
    );
}
