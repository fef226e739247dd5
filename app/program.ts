import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { ServiceBroker } from 'moleculer';
import { pino, type Logger } from 'pino';
import { closeStores, openStores, openTransporter, type Stores } from '../adapters/open.ts';
import type { Records } from '../adapters/records/port.ts';
import { brokerOptions } from '../moleculer.config.ts';
import { localFeatures } from '../mixins/features.ts';
import type { AppContext } from '../mixins/app-context.ts';
import { broadcastEvent } from '../mixins/events.ts';
import { Listeners } from '../mixins/http/listeners.ts';
import { Lifecycle } from '../mixins/lifecycle.ts';
import { Metrics } from '../mixins/metrics.ts';
import { EdgeChanges } from '../mixins/storage/edge-changes.ts';
import { workContext } from '../mixins/work-context.ts';
import { TrustedSources } from '../mixins/sources/trusted.ts';
import { systemRuntime, type Runtime } from '../models/runtime.ts';
import type { Installation } from '../models/installation.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { firstSchema } from '../models/migrations.ts';
import { bootstrapAccount, type FirstStart } from '../services/accounts/bootstrap.ts';
import { collections } from './collections.ts';
import { closeDataFolder } from './data-folder.ts';
import { Health, withoutReasons, type Readiness } from './health.ts';
import { reportBackups } from './measured/backups.ts';
import { reportAddress, reportParts, reportProcess, reportRoles } from './measured/parts.ts';
import { measuredStores } from './measured/stores.ts';
import { metricsListener } from './metrics-listener.ts';
import { checkSchema } from './migrations/check-schema.ts';
import { earlierProgramsIn } from './migrations/earlier-programs.ts';
import { migrationIntake } from './migrations/run-migrations.ts';
import { readInstallation } from './installation.ts';
import { readOperatorFile, writeOperatorFile, type OperatorFile } from './operator-file.ts';
import { listenForOperator } from './operator-socket.ts';
import { refuseInterruptedRestore } from './restoring.ts';
import { processesCounting } from './limit-shares.ts';
import { Neighbours } from './neighbours.ts';
import { processService } from './process-service.ts';
import { programVersion } from '../models/program-version.ts';
import { openSealer } from './secret-key.ts';
import { resealIntake } from './secrets/reseal.ts';
import { createServices } from './services.ts';
import { openTracing } from './tracing/open.ts';

/** A running program. */
export interface Program {
  nodeId: string;
  configuration: Configuration;
  app: AppContext;
  broker: ServiceBroker;
  /** Address of the API, without a slash at its end; null if this process has no gateway. */
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

/** Replacements for tests. */
export interface ProgramOptions {
  runtime?: Runtime;
  log?: Logger;
}

/** Share of the stop timeout for the intakes; the rest is for the broker and the stores. */
const intakeShare = 0.75;
/** Share of the stop timeout for delivering the last traces. */
const tracesShare = 0.1;

/** Folder of the program's own files. */
const programFolder = resolve(import.meta.dirname, '..');

/** Folders of the local embedding models, preferred first. */
export function modelFolders({ PLY_EMBEDDING_MODEL, PLY_LOCAL_MODEL }: Configuration): string[] {
  if (PLY_EMBEDDING_MODEL !== null) return [PLY_EMBEDDING_MODEL];
  const names = PLY_LOCAL_MODEL === 'by-language' ? ['all-MiniLM-L6-v2', 'multilingual-e5-small'] : [PLY_LOCAL_MODEL];
  return names.map((name) => join(programFolder, '.cache', 'models', name));
}

/** Folder of the local speech model. */
export function speechModelFolder(): string {
  return join(programFolder, '.cache', 'models', 'whisper-base');
}

/**
 * Starts everything that the configuration names, in one process: stores, broker, services, and last the intakes. On a
 * failure, whatever has started is stopped again.
 */
export async function startProgram(configuration: Configuration, options: ProgramOptions = {}): Promise<Program> {
  const runtime = options.runtime ?? systemRuntime;
  const nodeId = `${hostname()}-${process.pid}-${runtime.uuid().slice(0, 8)}`;
  const log =
    options.log ??
    pino({ level: configuration.PLY_LOG_LEVEL, base: { node: nodeId }, mixin: workContext }, pino.destination(2));
  refuseInterruptedRestore(resolve(configuration.PLY_DATA_DIR));
  await closeDataFolder(resolve(configuration.PLY_DATA_DIR), configuration.PLY_MONGO_URL === null, log);
  const sealer = await openSealer(configuration, runtime);
  const metrics = new Metrics(configuration.PLY_METRICS_ORGANIZATIONS);
  const tracing = await openTracing({ configuration, runtime, log, metrics, nodeId });
  let schema = firstSchema;
  const expect = async (records: Records): Promise<Installation> => {
    schema = await checkSchema(records);
    return readInstallation(records, configuration, runtime);
  };
  const stores = measuredStores(
    await openStores({
      configuration,
      runtime,
      log,
      nodeId,
      modelFolders: modelFolders(configuration),
      speechModelFolder: speechModelFolder(),
      unreadable: (stage) => metrics.unreadableMessages.inc({ stage }),
      expect,
    }),
    metrics,
    tracing.isOn,
  );
  const lifecycle = new Lifecycle();
  const app: AppContext = {
    configuration,
    runtime,
    log,
    metrics,
    tracing,
    lifecycle,
    listeners: new Listeners(),
    nodeId,
    sealer,
    trustedSources: new TrustedSources(runtime.now),
    edgeChanges: new EdgeChanges(stores.records),
    ...stores,
  };
  const installation = await readInstallation(app.records, configuration, runtime);
  const neighbours = new Neighbours(app);
  const transporter = await openTransporter(configuration.PLY_NATS_URL, nodeId, installation, neighbours.foreign);
  const broker = new ServiceBroker(brokerOptions({ ...app, transporter, installation }));
  app.edgeChanges.announceWith(() => broadcastEvent(broker, 'edges.changed', {}));
  try {
    if (transporter !== null)
      log.info({ installation: installation.id, natsPrefix: installation.natsPrefix }, 'joining the installation');
    await app.records.prepare(collections);
    if (configuration.PLY_ROLES.includes('scheduler')) {
      lifecycle.add(migrationIntake(app, schema, earlierProgramsIn(broker, app)));
      lifecycle.add(resealIntake(app));
    }
    return await startServices(app, stores, broker, neighbours);
  } catch (error) {
    await lifecycle.stop(0);
    await broker.stop().catch((stopping: unknown) => log.debug({ err: stopping }, 'the broker did not stop'));
    await closeStores(stores);
    await tracing.stop(0);
    throw error;
  }
}

async function startServices(
  app: AppContext,
  stores: Stores,
  broker: ServiceBroker,
  neighbours: Neighbours,
): Promise<Program> {
  const { configuration, lifecycle, listeners, log, metrics, tracing } = app;
  const health = new Health({
    stores,
    roles: configuration.PLY_ROLES,
    lifecycle,
    listeners,
    broker,
    log,
    features: () => localFeatures(broker),
  });
  const readiness = (): Promise<Readiness> => health.readiness();
  await createServices(app, broker, async () => withoutReasons(await readiness()));
  broker.createService(processService({ roles: [...configuration.PLY_ROLES], version: programVersion }, readiness));
  const metricsServer = metricsListener({
    listeners,
    metrics,
    readiness,
    host: configuration.PLY_HOST,
    port: configuration.PLY_METRICS_PORT,
    failed: (err) => log.warn({ err }, 'metrics or health could not be served'),
  });
  const dataFolder = resolve(configuration.PLY_DATA_DIR);
  const firstStart = await makeFirstAccount(app, dataFolder);
  await broker.start();
  neighbours.endStart();
  // Moleculer announces services up to a second later, but a process that reports ready can be called at once.
  await broker.registry.discoverer.sendLocalNodeInfo();
  const { port: metricsPort } = await metricsServer.start();
  metrics.collectProcess();
  reportRoles(metrics, configuration.PLY_ROLES);
  reportProcess(metrics, programVersion);
  reportParts(metrics, readiness, dataFolder);
  reportBackups(metrics, dataFolder);
  app.counters.shareAmong((key) => processesCounting(broker, key));
  await lifecycle.start();
  const apiUrl = listeners.url('api');
  if (apiUrl !== null) {
    reportAddress(metrics, configuration.PLY_PUBLIC_URL ?? apiUrl);
    const deliveryPort = listeners.all.find(({ name }) => name === 'delivery')?.port;
    await keepOperatorFile(dataFolder, { apiUrl, ...(deliveryPort === undefined ? {} : { deliveryPort }) }, firstStart);
  }
  // With embedded stores the command line talks to this process; in a cluster it opens the shared stores itself.
  const closeOperator =
    configuration.PLY_NATS_URL === null
      ? await listenForOperator({ ...app, actions: broker }, dataFolder)
      : () => Promise.resolve();
  const { parts } = await health.look();
  let stopping: Promise<void> | null = null;
  // Nothing is awaited after this: the caller can stop the program before anybody sees it ready.
  lifecycle.beginServing();
  return {
    nodeId: app.nodeId,
    configuration,
    app,
    broker,
    firstStart,
    readiness,
    parts,
    apiUrl,
    metricsUrl: `http://${configuration.PLY_HOST}:${metricsPort}`,
    stop: () => (stopping ??= stopInPhases()),
  };

  async function stopInPhases(): Promise<void> {
    const milliseconds = configuration.PLY_STOP_TIMEOUT * 1000;
    lifecycle.beginDraining();
    log.info('stopping: no new work is accepted');
    const failed = await lifecycle.stop(milliseconds * intakeShare);
    if (failed.length > 0) log.warn({ intakes: failed }, 'some intakes failed to stop');
    await broker.stop();
    await closeOperator();
    await metricsServer.stop(0);
    const failures = await closeStores(stores);
    for (const err of failures) log.warn({ err }, 'a store failed to close');
    await tracing.stop(milliseconds * tracesShare);
    log.info('stopped');
  }
}

/**
 * Creates the first account and its keys on the first start. The keys are shown only once, so everything that could
 * fail this start is checked before.
 */
async function makeFirstAccount(app: AppContext, dataFolder: string): Promise<FirstStart | null> {
  const { PLY_ROLES: roles, PLY_HOST: host, PLY_API_PORT: apiPort } = app.configuration;
  if (!roles.includes('accounts')) return null;
  await app.listeners.expectFreePorts();
  const firstStart = await bootstrapAccount(app);
  // Written at once, so that the operator has a key even if the start fails after this.
  if (firstStart !== null && roles.includes('gateway'))
    await keepOperatorFile(dataFolder, { apiUrl: `http://${host}:${apiPort}` }, firstStart);
  return firstStart;
}

/** The command line finds the program here: written on the first start, and updated when its addresses change. */
async function keepOperatorFile(
  dataFolder: string,
  addresses: Pick<OperatorFile, 'apiUrl' | 'deliveryPort'>,
  firstStart: FirstStart | null,
): Promise<void> {
  if (firstStart !== null) {
    const { organizationId, standardKey: key } = firstStart;
    return writeOperatorFile(dataFolder, { ...addresses, organizationId, key });
  }
  const kept = await readOperatorFile(dataFolder);
  if (kept === null || (kept.apiUrl === addresses.apiUrl && kept.deliveryPort === addresses.deliveryPort)) return;
  await writeOperatorFile(dataFolder, { ...addresses, organizationId: kept.organizationId, key: kept.key });
}
