import type { GuardedClient } from '../guarded-client/client.ts';
import type { House } from '../house.ts';
import { settingsOf } from '../settings/settings.ts';
import { SourceFailure } from './failure.ts';
import { faultOfHost } from './hosts.ts';

/** What of the house tells where an organization may read from. */
export type AllowedHouse = Pick<House, 'records' | 'ambient' | 'configuration'>;

/**
 * Looks whether an organization may read from the host of an address now.
 * @throws SourceFailure `source_host_not_allowed`, StoreUnavailable
 */
export async function checkAllowed(house: AllowedHouse, organizationId: string, address: string | URL): Promise<void> {
  const { hostname } = new URL(address);
  const { sourceHosts } = await settingsOf(house, organizationId);
  const fault = faultOfHost(hostname, { ceiling: house.configuration.PLY_ALLOWED_HOST_CEILING, sourceHosts });
  if (fault !== null) throw new SourceFailure('source_host_not_allowed', fault === 'ceiling' ? `${hostname} is outside the deployment's ceiling` : `${hostname} is not among the organization's sourceHosts`);
}

/**
 * A client that asks only hosts within the deployment's ceiling and, where the organization lists any, among its
 * `sourceHosts`. They are looked at before each request, as they are then: a host that is taken off the list while a file
 * is being read is not asked for another part of it.
 * Its requests throw SourceFailure `source_host_not_allowed` and StoreUnavailable as well.
 */
export function allowedClient(client: GuardedClient, house: AllowedHouse, organizationId: string): GuardedClient {
  return {
    request: async (address, options) => {
      await checkAllowed(house, organizationId, address);
      return client.request(address, options);
    },
    close: () => client.close(),
  };
}
