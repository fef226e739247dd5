import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { Region } from '../../models/region.ts';
import type { AppContext } from '../app-context.ts';
import type { DoorCredentials } from './door-credentials.ts';
import { DoorFigures, type DoorName } from './door-figures.ts';
import { GatewayUsage, type Answered } from './gateway-usage.ts';

/** Milliseconds after which a connection that moves nothing is closed. */
const idleTimeoutMs = 60_000;

/** What a door brings of its own. */
export interface DoorSetup {
  name: DoorName;
  port: number;
  credentials: DoorCredentials;
  /** @param closed is told of each response when it is over. @returns what answers requests, and never throws */
  serve(closed: (answered: Answered) => void): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Ends what the door holds, when its listener has stopped. */
  close?: () => Promise<void>;
}

/** The actor of a door: its listener, the count of what it answered, and news of credentials. */
export function doorService(
  app: AppContext,
  broker: ServiceBroker,
  regions: readonly Region[],
  { name, port, credentials, serve, close }: DoorSetup,
): ServiceSchema {
  const usage = new GatewayUsage(app, broker, name, regions[0]?.code ?? '');
  const figures = new DoorFigures(app.metrics, name);
  const handle = serve((answered) => {
    usage.count(answered);
    figures.count(answered);
  });
  const listener = app.listeners.add({
    name,
    host: app.configuration.PLY_HOST,
    port,
    requestTimeout: 0,
    idleTimeout: idleTimeoutMs,
    handle: (request, response) => {
      figures.watch(request.method ?? '', response);
      void listener.track(handle(request, response));
    },
  });
  app.lifecycle.add({
    name,
    start: async () => {
      await listener.start();
      usage.start();
    },
    stop: async (timeoutMs) => {
      await listener.stop(timeoutMs);
      await close?.();
      await usage.stop(timeoutMs);
    },
  });
  return { name, events: { 'credentials.changed': { handler: () => credentials.forget() } } };
}
