import { randomUUID } from 'node:crypto';
import { ProgramProcess } from '../../../scripts/cluster/program-process.ts';
import type { SubOrganizationView } from '../../../models/api.ts';
import { Client } from './client.ts';
import type { TestProgram } from './program.ts';
import { Source } from './source.ts';

/** A running cluster that tests of the API are pointed at, as JSON in `PLY_TEST_CLUSTER`. */
export interface SharedCluster {
  apiUrl: string;
  organizationId: string;
  adminKey: string;
  standardKey: string;
  folder: string;
  metricsUrl: string;
}

/** Works in a sub-organization, and creates others by way of the account's own one, which alone may. */
class ClusterAdmin extends Client {
  private readonly ownOrganizationId: string;

  constructor(url: string, organizationId: string, key: string, ownOrganizationId: string) {
    super(url, organizationId, key);
    this.ownOrganizationId = ownOrganizationId;
  }

  override createOrganization(name: string): Promise<SubOrganizationView> {
    return this.as(this.ownOrganizationId).createOrganization(name);
  }
}

/**
 * The cluster that `PLY_TEST_CLUSTER` names, as the program of a test file: it works in an organization of its own
 * there, so that files do not see each other's. Null where no cluster is named.
 */
export async function joinCluster(): Promise<TestProgram | null> {
  const named = process.env['PLY_TEST_CLUSTER'];
  if (named === undefined) return null;
  const { apiUrl, organizationId, adminKey, standardKey, folder, metricsUrl } = JSON.parse(named) as SharedCluster;
  const { id } = await new Client(apiUrl, organizationId, adminKey).createOrganization(`tests ${randomUUID()}`);
  const source = new Source();
  await source.start();
  return {
    // Never started: the cluster's processes are not a test's to stop or to kill.
    process: new ProgramProcess({
      name: 'cluster',
      environment: {},
      healthUrl: `${apiUrl}/health/ready`,
      logFile: `${folder}/gateway.log`,
    }),
    folder,
    logFile: `${folder}/gateway.log`,
    url: apiUrl,
    metricsUrl,
    organizationId: id,
    source,
    admin: new ClusterAdmin(apiUrl, id, adminKey, organizationId),
    standard: new Client(apiUrl, id, standardKey),
    start: () => Promise.reject(new Error('the cluster is not started by a test')),
    end: () => source.stop(),
  };
}
