import { resolve } from 'node:path';
import { ServiceBroker } from 'moleculer';
import { pino, type Logger } from 'pino';
import type { Records } from '../adapters/records/port.ts';
import { closeStores, openStores, openTransporter } from '../adapters/open.ts';
import { usageCollections } from '../app/operator-usage.ts';
import { operate, type OperationAnswer, type OperationName } from '../app/operator.ts';
import { readInstallation } from '../app/installation.ts';
import { checkSchema } from '../app/migrations/check-schema.ts';
import { Neighbours } from '../app/neighbours.ts';
import { askProgram, sentenceOf } from '../app/operator-socket.ts';
import { modelFolders } from '../app/program.ts';
import { openSealer } from '../app/secret-key.ts';
import { sealedFields } from '../app/secrets/sealed-fields.ts';
import { Metrics } from '../mixins/metrics.ts';
import { noTracing } from '../mixins/tracing.ts';
import { systemRuntime } from '../models/runtime.ts';
import type { Installation } from '../models/installation.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { brokerOptions } from '../moleculer.config.ts';
import { accountCollections } from '../services/accounts/collections.ts';
import { CommandError } from './connection.ts';

/** Maximum milliseconds in which a node discovers the others. */
const discoveryMs = 10_000;

/**
 * Executes an operator's request: by the running program; if none runs or the stores are shared, directly on the
 * stores. If it needs other actors, it joins the cluster.
 * @param needs the actor that must be available if the records alone are not enough
 * @throws CommandError
 */
export async function askOperator<N extends OperationName>(
  configuration: Configuration,
  name: N,
  input: object,
  needs?: 'searcher' | 'storage',
): Promise<OperationAnswer<N>> {
  try {
    const answer =
      configuration.PLY_NATS_URL === null ? await askProgram(resolve(configuration.PLY_DATA_DIR), name, input) : null;
    if (answer !== null) return answer;
    return await onStores(configuration, pino({ level: 'error' }, pino.destination(2)), name, input, needs);
  } catch (error) {
    throw new CommandError(sentenceOf(error), { cause: error });
  }
}

async function onStores<N extends OperationName>(
  configuration: Configuration,
  log: Logger,
  name: N,
  input: object,
  needs: string | undefined,
): Promise<OperationAnswer<N>> {
  const expect = async (records: Records): Promise<Installation> => {
    await checkSchema(records);
    return readInstallation(records, configuration, systemRuntime);
  };
  const stores = await openStores({
    configuration: { ...configuration, PLY_ROLES: ['accounts'] },
    runtime: systemRuntime,
    log,
    nodeId: 'command-line',
    modelFolders: modelFolders(configuration),
    expect,
  });
  let broker: ServiceBroker | null = null;
  try {
    await stores.records.prepare([...accountCollections, ...usageCollections]);
    // Without sealed data no key is needed, and none is created.
    const needsSecrets = name.startsWith('secrets.');
    if (needsSecrets) await stores.records.prepare(sealedFields.map(({ collection }) => collection));
    const secrets = needsSecrets ? { sealer: await openSealer(configuration, systemRuntime) } : {};
    if (needs !== undefined && configuration.PLY_NATS_URL !== null)
      broker = await joinCluster(configuration, log, await expect(stores.records), needs);
    // The row of the operation in the table determines its return type.
    return (await operate(
      {
        ...stores,
        runtime: systemRuntime,
        log,
        configuration,
        ...secrets,
        ...(broker === null ? {} : { actions: broker }),
      },
      name,
      input,
    )) as OperationAnswer<N>;
  } finally {
    await broker?.stop();
    await closeStores(stores);
  }
}

/**
 * Joins the cluster for a moment. @param needs a service that must be there
 * @throws CommandError
 */
export async function withCluster<T>(
  configuration: Configuration,
  needs: string,
  work: (broker: ServiceBroker) => Promise<T>,
): Promise<T> {
  const log = pino({ level: 'error' }, pino.destination(2));
  let stores: Awaited<ReturnType<typeof openStores>> | null = null;
  let broker: ServiceBroker | null = null;
  try {
    stores = await openStores({
      configuration: { ...configuration, PLY_ROLES: ['accounts'] },
      runtime: systemRuntime,
      log,
      nodeId: 'command-line',
      modelFolders: modelFolders(configuration),
      expect: (records) => readInstallation(records, configuration, systemRuntime),
    });
    broker = await joinCluster(
      configuration,
      log,
      await readInstallation(stores.records, configuration, systemRuntime),
      needs,
    );
    return await work(broker);
  } catch (error) {
    throw new CommandError(sentenceOf(error), { cause: error });
  } finally {
    await broker?.stop();
    if (stores !== null) await closeStores(stores);
  }
}

/** Becomes a node of the cluster without own services. */
async function joinCluster(
  configuration: Configuration,
  log: Logger,
  installation: Installation,
  needs: string,
): Promise<ServiceBroker> {
  const nodeId = `command-line-${systemRuntime.uuid()}`;
  const metrics = new Metrics();
  const neighbours = new Neighbours({ log, metrics });
  const broker = new ServiceBroker(
    brokerOptions({
      configuration: { ...configuration, PLY_LOG_LEVEL: 'error' },
      nodeId,
      log,
      metrics,
      tracing: noTracing,
      transporter: await openTransporter(configuration.PLY_NATS_URL, nodeId, installation, neighbours.foreign),
      installation,
    }),
  );
  await broker.start();
  try {
    neighbours.endStart();
    await broker.waitForServices([needs], discoveryMs);
    return broker;
  } catch (error) {
    await broker.stop();
    throw error;
  }
}
