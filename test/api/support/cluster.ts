import { randomUUID } from 'node:crypto';
import { ProgramProcess } from '../../../scripts/cluster/program-process.ts';
import type { SubOrganizationView } from '../../../models/api.ts';
import { Client } from './client.ts';
import type { TestProgram } from './program.ts';
import { Source } from './source.ts';

/** A running cluster for the API tests, as JSON in `PLY_TEST_CLUSTER`. */
export interface SharedCluster {
  apiUrl: string;
  organizationId: string;
  adminKey: string;
  standardKey: string;
  folder: string;
  metricsUrl: string;
}

/** A client of a sub-organization that creates others through the account's own organization. */
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
 * The cluster of `PLY_TEST_CLUSTER` as the program of a test file, with a new organization to isolate test files; null
 * without a cluster.
 */
export async function joinCluster(): Promise<TestProgram | null> {
  const named = process.env['PLY_TEST_CLUSTER'];
  if (named === undefined) return null;
  const { apiUrl, organizationId, adminKey, standardKey, folder, metricsUrl } = JSON.parse(named) as SharedCluster;
  const { id } = await new Client(apiUrl, organizationId, adminKey).createOrganization(`tests ${randomUUID()}`);
  const source = new Source();
  await source.start();
  return {
    // Never started: tests do not stop or kill the processes of the cluster.
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
