import { Events, type NatsConnection } from 'nats';

/** Whether the connection to the server stands, told as it changes. */
export interface Link {
  readonly connected: boolean;
  /** Hears of each loss (false) and return (true); answers how to stop listening. */
  watch(hear: (connected: boolean) => void): () => void;
}

/** Follows a connection until it is closed. The client alone would say connected while it tries to reconnect. */
export function followLink(connection: NatsConnection): Link {
  const listeners = new Set<(connected: boolean) => void>();
  let connected = true;
  const status = connection.status();
  const following = (async () => {
    for await (const { type } of status) {
      if (type !== Events.Disconnect && type !== Events.Reconnect) continue;
      connected = type === Events.Reconnect;
      for (const hear of listeners) hear(connected);
    }
    connected = false;
  })();
  // An iterator that breaks means a connection that is of no use.
  following.catch(() => {
    connected = false;
  });
  return {
    get connected() {
      return connected;
    },
    watch(hear) {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
  };
}
