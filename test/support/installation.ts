import { openMongoRecords } from '../../adapters/records/mongo/records.ts';
import type { Records } from '../../adapters/records/port.ts';
import { readInstallation } from '../../app/installation.ts';
import { readConfiguration } from '../../models/configuration/configuration.ts';
import { formerNatsPrefix, installations, type Installation } from '../../models/installation.ts';
import { systemRuntime } from '../../models/runtime.ts';
import { systemScope } from '../../models/scope.ts';
import type { Cluster } from '../../scripts/cluster/cluster.ts';

/** An installation of the tests. */
export function testInstallation(natsPrefix: string, id = '1f0e9d8c-0000-4000-8000-000000000001'): Installation {
  return { id, natsPrefix, mayHaveFormerNodes: false };
}

/** The installation of a running cluster, as its records tell. */
export async function installationOf({ environment }: Pick<Cluster, 'environment'>): Promise<Installation> {
  const records = await recordsOf(environment);
  try {
    return await readInstallation(records, readConfiguration(environment), systemRuntime);
  } finally {
    await records.close();
  }
}

/** Makes records that look like those of an installation of the version before installations had ids. */
export async function prepareFormerInstallation(environment: Cluster['environment']): Promise<void> {
  const records = await recordsOf(environment);
  try {
    await records.prepare([installations]);
    await records
      .collection(installations, systemScope)
      .insert({ _id: 'installation', id: systemRuntime.uuid(), natsPrefix: formerNatsPrefix, createdAt: 0 });
  } finally {
    await records.close();
  }
}

function recordsOf(environment: Cluster['environment']): Promise<Records> {
  const { PLY_MONGO_URL: url, PLY_MONGO_DATABASE: database } = readConfiguration(environment);
  return openMongoRecords({ url: url ?? '', database, runtime: systemRuntime });
}
