import { resolve } from 'node:path';
import { ServiceBroker } from 'moleculer';
import { pino, type Logger } from 'pino';
import { closeStores, openStores, openTransporter } from '../adapters/open.ts';
import { operate, type OperationAnswer, type OperationName, type OperatorContext } from '../app/operator.ts';
import { checkSchema } from '../app/migrations/check-schema.ts';
import { askProgram, sentenceOf } from '../app/operator-socket.ts';
import { modelFolders } from '../app/program.ts';
import { openSealer } from '../app/secret-key.ts';
import { sealedFields } from '../app/secrets/sealed-fields.ts';
import { Metrics } from '../mixins/metrics.ts';
import { noTracing } from '../mixins/tracing.ts';
import { systemRuntime } from '../models/runtime.ts';
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
  needs?: 'searcher',
): Promise<OperationAnswer<N>> {
  try {
    const answer =
      configuration.PLY_NATS_URL === null ? await askProgram(resolve(configuration.PLY_DATA_DIR), name, input) : null;
    if (answer !== null) return answer;
    const log = pino({ level: 'error' }, pino.destination(2));
    if (needs !== undefined && configuration.PLY_NATS_URL !== null)
      return await inCluster(configuration, log, name, input, needs);
    return await onStores(configuration, log, name, input);
  } catch (error) {
    throw new CommandError(sentenceOf(error), { cause: error });
  }
}

async function onStores<N extends OperationName>(
  configuration: Configuration,
  log: Logger,
  name: N,
  input: object,
  more: Pick<OperatorContext, 'actions'> = {},
): Promise<OperationAnswer<N>> {
  const stores = await openStores({
    configuration: { ...configuration, PLY_ROLES: ['accounts'] },
    runtime: systemRuntime,
    log,
    nodeId: 'command-line',
    modelFolders: modelFolders(configuration),
    expect: (records) => checkSchema(records).then(() => undefined),
  });
  try {
    await stores.records.prepare(accountCollections);
    // Without sealed data no key is needed, and none is created.
    const needsSecrets = name.startsWith('secrets.');
    if (needsSecrets) await stores.records.prepare(sealedFields.map(({ collection }) => collection));
    const secrets = needsSecrets ? { sealer: await openSealer(configuration, systemRuntime) } : {};
    // The row of the operation in the table determines its return type.
    return (await operate(
      { ...stores, runtime: systemRuntime, log, configuration, ...secrets, ...more },
      name,
      input,
    )) as OperationAnswer<N>;
  } finally {
    await closeStores(stores);
  }
}

/** Works as a node of the cluster without own services. */
async function inCluster<N extends OperationName>(
  configuration: Configuration,
  log: Logger,
  name: N,
  input: object,
  needs: string,
): Promise<OperationAnswer<N>> {
  const nodeId = `command-line-${systemRuntime.uuid()}`;
  const broker = new ServiceBroker(
    brokerOptions({
      configuration: { ...configuration, PLY_LOG_LEVEL: 'error' },
      nodeId,
      log,
      metrics: new Metrics(),
      tracing: noTracing,
      transporter: await openTransporter(configuration.PLY_NATS_URL, nodeId),
    }),
  );
  await broker.start();
  try {
    await broker.waitForServices([needs], discoveryMs);
    return await onStores(configuration, log, name, input, { actions: broker });
  } finally {
    await broker.stop();
  }
}
