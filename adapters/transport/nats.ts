import { Errors, Transporters } from 'moleculer';
import { createInbox, Events, type ConnectionOptions, type Msg, type NatsConnection } from 'nats';

/** How often nodes that owe an answer are asked whether they are there, in milliseconds. */
const askEvery = 1000;
/** Largest message that the server should take, in bytes: a request body of the default limit fits. */
const leastPayload = 32 * 2 ** 20;
/** Status with which a NATS server answers a message that nobody is subscribed to (its "no responders"). */
const noResponders = 503;

/** What is known of a packet that is sent: its kind, its addressee, and the id in it. */
interface Sent {
  packet?: { type: string; target?: string | null; payload?: { id?: unknown } };
}

/**
 * Moleculer's transporter over NATS, attentive to who is gone. By itself a caller waits for a node that was killed
 * until its heartbeats are missed, and for a NATS server that is away until its own time is over. Here
 *
 * - requests carry a reply subject, so the server says at once when nobody listens at the node
 *   (https://docs.nats.io/nats-concepts/core-nats/reqreply, "no responders"): the request is refused as undelivered and
 *   the node is taken out of the registry;
 * - nodes that owe an answer are pinged each second in the same way;
 * - while the server is away, requests are refused at once, and so are those under way when it goes.
 *
 * A refused request has an error named `RequestRejectedError`; `data.undelivered` is true where its action has not run.
 */
export class AttentiveNats extends Transporters.NATS {
  private readonly inbox = createInbox();
  private isLinked = false;
  private asking: NodeJS.Timeout | undefined;

  /** Whether the connection to the server stands. The broker would say connected while the client tries to reconnect. */
  get linked(): boolean {
    return this.isLinked;
  }

  override async connect(): Promise<void> {
    await super.connect();
    const connection = this.client as NatsConnection;
    this.isLinked = true;
    const largest = connection.info?.max_payload ?? 0;
    if (largest < leastPayload) this.logger.warn(`NATS takes messages of ${largest} bytes at most: large imports and lists of principals will be refused; set max_payload: 64MB in its configuration`);
    this.follow(connection).catch((error: unknown) => this.logger.warn('the state of the connection is not known any more', error));
    connection.subscribe(`${this.inbox}.>`, {
      callback: (error: Error | null, message: Msg) => {
        if (error === null && message.headers?.code === noResponders) this.missed(message.subject.slice(this.inbox.length + 1));
      },
    });
    this.asking = setInterval(() => this.askDebtors(), askEvery);
    this.asking.unref();
  }

  override async disconnect(): Promise<void> {
    clearInterval(this.asking);
    this.isLinked = false;
    await super.disconnect();
  }

  override async send(topic: string, data: Buffer, sent?: Sent): Promise<void> {
    const { type, target, payload } = sent?.packet ?? {};
    const id = payload?.id;
    if ((type !== 'REQ' && type !== 'PING') || typeof target !== 'string' || typeof id !== 'string') return super.send(topic, data);
    // Kept back, it would be delivered long after its caller has given up.
    if (!this.isLinked) throw undelivered(type, target);
    const connection = this.client as NatsConnection;
    connection.publish(topic, data, { reply: `${this.inbox}.${id}.${target}` });
  }

  private async follow(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === Events.Disconnect) {
        this.isLinked = false;
        for (const nodeId of this.debtors()) this.transit.removePendingRequestByNodeID(nodeId);
      }
      if (type === Events.Reconnect) {
        this.isLinked = true;
        await this.greet();
      }
    }
    this.isLinked = false;
  }

  /** Back again: others may have taken this node for gone, and nodes may have come and gone unheard. */
  private async greet(): Promise<void> {
    try {
      await this.transit.discoverer.sendLocalNodeInfo();
      await this.transit.discoverer.discoverAllNodes();
    } catch (error) {
      // The next heartbeats do the same, later.
      this.logger.debug('the cluster was not greeted', error);
    }
  }

  /** Nobody is subscribed where a packet went; `where` is its id and its node. */
  private missed(where: string): void {
    const dot = where.indexOf('.');
    const [id, nodeId] = [where.slice(0, dot), where.slice(dot + 1)];
    const request = this.transit.pendingRequests.get(id);
    if (request !== undefined) {
      this.transit.removePendingRequest(id);
      request.reject(undelivered(request.ctx.action?.name ?? 'unknown', nodeId));
    }
    this.broker.registry.nodes.disconnected(nodeId, true);
  }

  private debtors(): Set<string> {
    return new Set([...this.transit.pendingRequests.values()].map(({ nodeID }) => nodeID));
  }

  private askDebtors(): void {
    if (!this.isLinked) return;
    for (const nodeId of this.debtors()) this.transit.sendPing(nodeId).catch((error: unknown) => this.logger.debug(`${nodeId} was not asked`, error));
  }
}

function undelivered(action: string, nodeId: string): Error {
  const error = new Errors.RequestRejectedError({ action, nodeID: nodeId });
  error.data = { action, nodeID: nodeId, undelivered: true };
  return error;
}

/** Address and credentials as the client wants them; Moleculer would hand them on percent-encoded as they stand in the address. */
function serverOf(address: string): ConnectionOptions {
  const url = new URL(address);
  const user = decodeURIComponent(url.username);
  const pass = decodeURIComponent(url.password);
  return {
    servers: [url.host],
    ...(url.protocol === 'tls:' ? { tls: {} } : {}),
    ...(user === '' ? {} : pass === '' ? { token: user } : { user, pass }),
  };
}

/**
 * The transporter of a process named `nodeId`. It connects when its broker starts, and comes back for ever.
 * @param address `nats://` or `tls://`, with user and password, or a token, percent-encoded, where the server wants them
 */
export function openNatsTransporter(address: string, nodeId: string): AttentiveNats {
  // Spread, so that all processes do not come back at once; a server that is silent for two pings is taken for gone.
  return new AttentiveNats({ ...serverOf(address), name: nodeId, maxReconnectAttempts: -1, reconnectTimeWait: 250, reconnectJitter: 250, reconnectJitterTLS: 250, pingInterval: 5000, maxPingOut: 2, ignoreAuthErrorAbort: true });
}
