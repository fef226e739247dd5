import type { Collection, Records } from '../adapters/records/port.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import {
  formerNatsPrefix,
  installations,
  natsPrefixOf,
  type Installation,
  type InstallationDocument,
} from '../models/installation.ts';
import { firstStarts } from '../models/organization.ts';
import type { Runtime } from '../models/runtime.ts';
import { systemScope } from '../models/scope.ts';

const only = 'installation';

async function documentOf(
  records: Records,
  runtime: Pick<Runtime, 'now' | 'uuid'>,
): Promise<{ documents: Collection<InstallationDocument>; found: InstallationDocument }> {
  await records.prepare([installations, firstStarts]);
  const documents = records.collection(installations, systemScope);
  const existing = await documents.get(only);
  if (existing !== null) return { documents, found: existing };
  const isFormer = (await records.collection(firstStarts, systemScope).get('first-start')) !== null;
  const id = runtime.uuid();
  // Records of a former version keep its prefix, so that processes of both versions find each other in an upgrade.
  const made = { _id: only, id, natsPrefix: isFormer ? formerNatsPrefix : natsPrefixOf(id), createdAt: runtime.now() };
  // Of processes that start concurrently one inserts the document, and all read the same one.
  await documents.insertNew([{ ...made, _id: only }]);
  return { documents, found: (await documents.get(only)) ?? { ...made, _id: only } };
}

/** The installation that the records belong to. It gets its id here at its first start. */
export async function readInstallation(
  records: Records,
  { PLY_NATS_PREFIX: configured }: Pick<Configuration, 'PLY_NATS_PREFIX'>,
  runtime: Pick<Runtime, 'now' | 'uuid'>,
): Promise<Installation> {
  const { found } = await documentOf(records, runtime);
  const natsPrefix = configured ?? found.natsPrefix;
  return {
    id: found.id,
    natsPrefix,
    mayHaveFormerNodes: found.natsPrefix === formerNatsPrefix && natsPrefix === formerNatsPrefix,
  };
}

/**
 * Gives the records a new id and prefix, as if this were their first start: for a copy that is to run beside the
 * original. No process may be running on them.
 */
export async function renewInstallation(
  records: Records,
  configuration: Pick<Configuration, 'PLY_NATS_PREFIX'>,
  runtime: Pick<Runtime, 'now' | 'uuid'>,
): Promise<Installation> {
  const { documents } = await documentOf(records, runtime);
  const id = runtime.uuid();
  await documents.update(only, {}, { set: { id, natsPrefix: natsPrefixOf(id), createdAt: runtime.now() } });
  return readInstallation(records, configuration, runtime);
}
