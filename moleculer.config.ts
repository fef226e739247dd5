import type { BrokerOptions } from 'moleculer';
import { pino, type Logger } from 'pino';
import { patience } from './mixins/actions.ts';
import { migrations } from './house/migrations/steps.ts';
import type { Configuration } from './models/configuration/configuration.ts';

/**
 * The broker's options. Each call makes new ones, because a broker changes the object it is given.
 * @param nodeId unique name of the process in the cluster
 * @param transporter carries packets to other processes; null where there are none
 */
export function brokerOptions(configuration: Configuration, nodeId: string, log: Logger, transporter: BrokerOptions['transporter'] = null): BrokerOptions {
  return {
    namespace: 'ply',
    nodeID: nodeId,
    // By it later programs know whether one is there that writes documents as they were before a migration.
    metadata: { migrations: migrations.map(({ id }) => id) },
    // Signals are handled by the program: its phases of stopping are its own.
    skipProcessEventRegistration: true,
    logger: {
      type: 'Pino',
      options: {
        // What the broker says of its normal life is of interest to those who look for a fault in it.
        level: configuration.PLY_LOG_LEVEL === 'info' ? 'warn' : configuration.PLY_LOG_LEVEL,
        pino: { options: { base: log.bindings() }, destination: pino.destination(2) },
      },
    },
    transporter,
    serializer: 'JSON',
    requestTimeout: patience,
    retryPolicy: { enabled: false },
    maxCallLevel: 10,
    // A node that stands still is noticed after some missed heartbeats; one that is gone, when it is next asked something.
    heartbeatInterval: 2,
    heartbeatTimeout: 10,
    contextParamsCloning: false,
    tracking: { enabled: true, shutdownTimeout: configuration.PLY_STOP_TIMEOUT * 500 },
    registry: { strategy: 'RoundRobin', preferLocal: true, stopDelay: transporter !== null ? 1000 : 0 },
    disableBalancer: false,
    circuitBreaker: { enabled: false },
    bulkhead: { enabled: false },
    // Input is checked at the gateway, against its route table.
    validator: false,
    cacher: null,
    metrics: false,
    tracing: false,
    internalServices: false,
    hotReload: false,
  };
}
