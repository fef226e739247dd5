import { Events, type NatsConnection } from 'nats';

/** The state of the connection to the server, with events. */
export interface Link {
  readonly connected: boolean;
  /** Adds a listener for each loss (false) and return (true). Returns a function that removes it. */
  watch(hear: (connected: boolean) => void): () => void;
}

/** Follows a connection until it is closed. The client itself reports connected while it tries to reconnect. */
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
  // A failed iterator means that the connection is unusable.
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
