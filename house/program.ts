import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { ServiceBroker } from 'moleculer';
import { pino, type Logger } from 'pino';
import { closeStores, openStores, openTransporter, type Stores } from '../adapters/open.ts';
import type { Records } from '../adapters/records/port.ts';
import { brokerOptions } from '../moleculer.config.ts';
import { localFeatures } from '../mixins/features.ts';
import type { House } from '../mixins/house.ts';
import { Lifecycle } from '../mixins/lifecycle.ts';
import { Metrics } from '../mixins/metrics.ts';
import { workContext } from '../mixins/work-context.ts';
import { TrustedSources } from '../mixins/sources/trusted.ts';
import { systemAmbient, type Ambient } from '../models/ambient.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { firstSchema } from '../models/migrations.ts';
import { bootstrapAccount, type FirstStart } from '../services/accounts/bootstrap.ts';
import { collections } from './collections.ts';
import { expectFreePort } from './free-port.ts';
import { Health, withoutReasons, type Readiness } from './health.ts';
import { tellParts } from './measured/parts.ts';
import { measuredStores } from './measured/stores.ts';
import { listenForMetrics } from './metrics-listener.ts';
import { checkSchema } from './migrations/check-schema.ts';
import { companyIn } from './migrations/company.ts';
import { migrationIntake } from './migrations/run-migrations.ts';
import { readOperatorFile, writeOperatorFile } from './operator-file.ts';
import { listenForOperator } from './operator-socket.ts';
import { expectWhole } from './restoring.ts';
import { openSealer } from './secret-key.ts';
import { resealIntake } from './secrets/reseal.ts';
import { createServices } from './services.ts';
import { openTracing } from './tracing/open.ts';

/** A running program. */
export interface Program {
  nodeId: string;
  configuration: Configuration;
  house: House;
  broker: ServiceBroker;
  /** Address of the API, without a slash at its end; null where this process has no gateway. */
  apiUrl: string | null;
  metricsUrl: string;
  /** The keys of a first start; null on later ones. */
  firstStart: FirstStart | null;
  /** How its parts stood at the end of the start. */
  parts: Readiness['parts'];
  readiness(): Promise<Readiness>;
  /** Stops in phases within PLY_STOP_TIMEOUT; repeated calls wait for the same stop. */
  stop(): Promise<void>;
}

/** What a program may be given instead of the real surroundings. */
export interface ProgramOptions {
  ambient?: Ambient;
  log?: Logger;
}

/** Share of the stop timeout in which intakes end; the rest is for broker and stores. */
const intakeShare = 0.75;
/** Share of the stop timeout in which the last traces are delivered. */
const tracesShare = 0.1;

/** Folder of the program's own files. */
const programFolder = resolve(import.meta.dirname, '..');

/** Folder of the local embedding model. */
export function modelFolder(configuration: Configuration): string {
  return configuration.PLY_EMBEDDING_MODEL ?? join(programFolder, '.cache', 'models', 'all-MiniLM-L6-v2');
}

/**
 * Starts the parts that the configuration names, in one process: stores, broker, services, and last what takes work
 * in. When anything fails, what was started is stopped again.
 */
export async function startProgram(configuration: Configuration, options: ProgramOptions = {}): Promise<Program> {
  const ambient = options.ambient ?? systemAmbient;
  const nodeId = `${hostname()}-${process.pid}-${ambient.uuid().slice(0, 8)}`;
  const log = options.log ?? pino({ level: configuration.PLY_LOG_LEVEL, base: { node: nodeId }, mixin: workContext }, pino.destination(2));
  expectWhole(resolve(configuration.PLY_DATA_DIR));
  const sealer = await openSealer(configuration, ambient);
  const metrics = new Metrics(configuration.PLY_METRICS_ORGANIZATIONS);
  const tracing = await openTracing({ configuration, ambient, log, metrics, nodeId });
  let schema = firstSchema;
  const expect = async (records: Records): Promise<void> => {
    schema = await checkSchema(records);
  };
  const stores = measuredStores(await openStores({ configuration, ambient, log, nodeId, modelFolder: modelFolder(configuration), unreadable: (stage) => metrics.unreadableMessages.inc({ stage }), expect }), metrics, tracing.isOn);
  const lifecycle = new Lifecycle();
  const house: House = { configuration, ambient, log, metrics, tracing, lifecycle, nodeId, sealer, trustedSources: new TrustedSources(ambient.now), ...stores };
  const broker = new ServiceBroker(brokerOptions(configuration, nodeId, log, await openTransporter(configuration.PLY_NATS_URL, nodeId)));
  try {
    await house.records.prepare(collections);
    if (configuration.PLY_ROLES.includes('scheduler')) {
      lifecycle.add(migrationIntake(house, schema, companyIn(broker, house)));
      lifecycle.add(resealIntake(house));
    }
    return await startServices(house, stores, broker);
  } catch (error) {
    await lifecycle.stop(0);
    await broker.stop().catch((stopping: unknown) => log.debug({ err: stopping }, 'the broker did not stop'));
    await closeStores(stores);
    await tracing.stop(0);
    throw error;
  }
}

async function startServices(house: House, stores: Stores, broker: ServiceBroker): Promise<Program> {
  const { configuration, lifecycle, log, metrics, tracing } = house;
  const health = new Health({ stores, roles: configuration.PLY_ROLES, lifecycle, broker, log, features: () => localFeatures(broker) });
  const readiness = (): Promise<Readiness> => health.readiness();
  const services = await createServices(house, broker, async () => withoutReasons(await readiness()));
  const dataFolder = resolve(configuration.PLY_DATA_DIR);
  const firstStart = await makeFirstAccount(house, dataFolder);
  await broker.start();
  // Moleculer tells the others of its services a second later: whoever sees this process ready may call it at once.
  await broker.registry.discoverer.sendLocalNodeInfo();
  const metricsListener = await listenForMetrics(metrics, readiness, configuration.PLY_HOST, configuration.PLY_METRICS_PORT, (err) => log.warn({ err }, 'metrics or health could not be told'));
  metrics.collectProcess();
  tellParts(metrics, readiness, dataFolder);
  house.counters.shareAmong(() => Math.max(1, liveGateways(broker)));
  await lifecycle.start();
  const apiUrl = services.apiUrl();
  if (apiUrl !== null) await keepOperatorFile(dataFolder, apiUrl, firstStart);
  // A program of one process is asked by the operator's command line; a cluster shares its stores with it.
  const closeOperator = configuration.PLY_NATS_URL === null ? await listenForOperator({ ...house, actions: broker }, dataFolder) : () => Promise.resolve();
  const { parts } = await health.look();
  let stopping: Promise<void> | null = null;
  // Nothing is waited for after this: the caller has the program, and can stop it, before anybody can see it ready.
  lifecycle.beginServing();
  return {
    nodeId: house.nodeId, configuration, house, broker, firstStart, readiness, parts,
    apiUrl,
    metricsUrl: `http://${configuration.PLY_HOST}:${metricsListener.port}`,
    stop: () => (stopping ??= stopInPhases()),
  };

  async function stopInPhases(): Promise<void> {
    const milliseconds = configuration.PLY_STOP_TIMEOUT * 1000;
    lifecycle.beginDraining();
    log.info('stopping: no new work is taken');
    const failed = await lifecycle.stop(milliseconds * intakeShare);
    if (failed.length > 0) log.warn({ intakes: failed }, 'some intakes did not stop as they should');
    await broker.stop();
    await closeOperator();
    await metricsListener.close();
    const failures = await closeStores(stores);
    for (const err of failures) log.warn({ err }, 'a store did not close as it should');
    await tracing.stop(milliseconds * tracesShare);
    log.info('stopped');
  }
}

/** The first account, and its keys where this is the first start. They can be told only once, so what would stop this start stops it before. */
async function makeFirstAccount(house: House, dataFolder: string): Promise<FirstStart | null> {
  const { PLY_ROLES: roles, PLY_HOST: host, PLY_API_PORT: apiPort, PLY_METRICS_PORT: metricsPort } = house.configuration;
  if (!roles.includes('accounts')) return null;
  if (roles.includes('gateway')) await expectFreePort(host, apiPort);
  await expectFreePort(host, metricsPort);
  const firstStart = await bootstrapAccount(house);
  // Kept at once: should the start fail after this, the operator still has a key.
  if (firstStart !== null && roles.includes('gateway')) await keepOperatorFile(dataFolder, `http://${host}:${apiPort}`, firstStart);
  return firstStart;
}

/** The operator's command line finds the API here: made at the first start, kept to the right address at later ones. */
async function keepOperatorFile(dataFolder: string, apiUrl: string, firstStart: FirstStart | null): Promise<void> {
  if (firstStart !== null) return writeOperatorFile(dataFolder, { apiUrl, organizationId: firstStart.organizationId, key: firstStart.standardKey });
  const kept = await readOperatorFile(dataFolder);
  if (kept !== null && kept.apiUrl !== apiUrl) await writeOperatorFile(dataFolder, { ...kept, apiUrl });
}

function liveGateways(broker: ServiceBroker): number {
  const services: { name?: unknown }[] = broker.registry.getServiceList({ onlyAvailable: true, withActions: false, withEvents: false, skipInternal: true });
  return services.filter((service) => service.name === 'gateway').length;
}
