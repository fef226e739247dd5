import type { BrokerOptions, Transporters } from 'moleculer';
import { pino, type Logger } from 'pino';
import { migrations } from './app/migrations/steps.ts';
import { requestTimeoutMs } from './mixins/actions/call.ts';
import type { Metrics } from './mixins/metrics.ts';
import { carryWorkContext } from './mixins/middlewares/work-context.ts';
import { ParamsValidator } from './mixins/middlewares/params-validator.ts';
import { measureActions } from './mixins/middlewares/measure-actions.ts';
import { retryElsewhere } from './mixins/middlewares/retry-elsewhere.ts';
import { traceActions } from './mixins/middlewares/trace-actions.ts';
import type { Tracing } from './mixins/tracing.ts';
import type { Configuration } from './models/configuration/configuration.ts';
import type { Installation } from './models/installation.ts';

/** What a broker is made with. */
export interface BrokerContext {
  configuration: Configuration;
  /** Unique name of the process in the cluster. */
  nodeId: string;
  log: Logger;
  metrics: Metrics;
  tracing: Tracing;
  /** Carries packets to other processes; null where there are none. */
  transporter: Transporters.Base | null;
  installation: Pick<Installation, 'natsPrefix'>;
}

/** The broker's options. Each call makes new ones, because a broker changes the object it is given. */
export function brokerOptions({
  configuration,
  nodeId,
  log,
  metrics,
  tracing,
  transporter,
  installation,
}: BrokerContext): BrokerOptions {
  return {
    namespace: installation.natsPrefix,
    nodeID: nodeId,
    // Later programs read it to know whether a program of the cluster still writes documents as before a migration.
    metadata: { migrations: migrations.map(({ id }) => id) },
    // The program handles signals itself: it stops in phases of its own.
    skipProcessEventRegistration: true,
    logger: {
      type: 'Pino',
      options: {
        // At info level the broker logs its normal operation, which only matters when a fault is looked for.
        level: configuration.PLY_LOG_LEVEL === 'info' ? 'warn' : configuration.PLY_LOG_LEVEL,
        pino: { options: { base: log.bindings() }, destination: pino.destination(2) },
      },
    },
    transporter,
    serializer: 'JSON',
    requestTimeout: requestTimeoutMs,
    // Whether a call may be repeated depends on its action: see retryElsewhere.
    retryPolicy: { enabled: false },
    maxCallLevel: 10,
    // A node that hangs is removed after some missed heartbeats; a node that is gone, with the next call to it.
    heartbeatInterval: 2,
    heartbeatTimeout: 10,
    contextParamsCloning: false,
    tracking: { enabled: true, shutdownTimeout: configuration.PLY_STOP_TIMEOUT * 500 },
    registry: { strategy: 'RoundRobin', preferLocal: true, stopDelay: transporter !== null ? 1000 : 0 },
    disableBalancer: false,
    circuitBreaker: { enabled: false },
    bulkhead: { enabled: false },
    // Of fastest-validator, with the rules of the API's schemas.
    validator: new ParamsValidator(),
    cacher: null,
    // Innermost first. Moleculer's own (validator, tracking, timeout) are around them.
    middlewares: [traceActions(tracing), measureActions(metrics), carryWorkContext(tracing), retryElsewhere()],
    // Moleculer's registry costs several times as much as an action, and its Prometheus reporter opens a port of its
    // own: metrics are prom-client's, by measureActions.
    metrics: false,
    // Moleculer has no exporter for OTLP: spans are OpenTelemetry's, by traceActions.
    tracing: false,
    internalServices: false,
    hotReload: false,
  };
}
