import { Errors, Transporters } from 'moleculer';
import { createInbox, Events, type ConnectionOptions, type Msg, type NatsConnection } from 'nats';
import { ForeignInstallation, type Installation } from '../../models/installation.ts';

/** Interval of pings to nodes with pending requests, in milliseconds. */
const pingIntervalMs = 1000;
/** Message size that the server should accept, in bytes: a request body of the default limit fits. */
const minPayload = 32 * 2 ** 20;
/** Status with which a NATS server answers a message without subscribers ("no responders"). */
const noResponders = 503;

/** A packet that is sent: its type, its target node, and the id in it. */
interface Sent {
  packet?: { type: string; target?: string | null; payload?: { id?: unknown } };
}

/** To whom a transporter belongs. */
export interface Membership {
  installation: Installation;
  /** Called for each packet of another installation, which is dropped. */
  foreign(error: ForeignInstallation): void;
}

/** The fields of a packet's payload that tell where it is from. */
function originOf(packet: unknown): { sender: string; installation: string | null } {
  const payload: unknown = typeof packet === 'object' && packet !== null && 'payload' in packet ? packet.payload : null;
  if (typeof payload !== 'object' || payload === null) return { sender: '', installation: null };
  const sender = 'sender' in payload && typeof payload.sender === 'string' ? payload.sender : '';
  const isMarked = 'installation' in payload && typeof payload.installation === 'string';
  return { sender, installation: isMarked ? String(payload.installation) : null };
}

/**
 * Moleculer's transporter over NATS, which notices lost nodes at once. Moleculer's own lets a caller wait for a node
 * that was killed until its heartbeats are missed, and for a NATS server that is down until the call's timeout. Here
 *
 * - requests carry a reply subject, so the server answers at once when no node listens
 *   (https://docs.nats.io/nats-concepts/core-nats/reqreply, "no responders"): the request is rejected as undelivered
 * and
 *   the node is removed from the registry;
 * - nodes with pending requests are pinged each second in the same way;
 * - while the server is down, requests are rejected at once, and so are those that are pending when it goes down.
 *
 * A rejected request has an error named `RequestRejectedError`; `data.undelivered` is true if its action has not
 * run.
 *
 * Each packet carries the id of its installation, and packets of others are dropped: two installations that use the
 * same names on one server never call each other.
 */
export class NatsTransporter extends Transporters.NATS {
  private readonly inbox = createInbox();
  private isLinked = false;
  private pinging: NodeJS.Timeout | undefined;
  private readonly membership: Membership;

  constructor(options: ConnectionOptions, membership: Membership) {
    super(options);
    this.membership = membership;
  }

  /**
   * Whether the connection to the server is up. The broker reports connected while the client tries to reconnect.
   */
  get linked(): boolean {
    return this.isLinked;
  }

  override init(...[transit, receive, afterConnect]: Parameters<Transporters.NATS['init']>): void {
    const receiveOwn: typeof receive = (type, packet) => {
      if (this.isOwn(type, packet)) return receive(type, packet);
    };
    super.init(transit, receiveOwn, afterConnect);
  }

  override serialize(packet: Parameters<Transporters.NATS['serialize']>[0]): Buffer {
    Object.assign(packet.payload, { installation: this.membership.installation.id });
    return super.serialize(packet);
  }

  /** Whether a packet is from this installation. */
  private isOwn(type: string, packet: unknown): boolean {
    const { installation, foreign } = this.membership;
    const { sender, installation: other } = originOf(packet);
    if (other === installation.id || (other === null && installation.mayHaveFormerNodes)) return true;
    foreign(new ForeignInstallation(`the process ${sender}`, other, installation));
    // A process that starts asks who is there. It drops the reply, but learns from it that the prefix is in use.
    if (type === 'DISCOVER' && other !== null)
      this.transit.discoverer
        .sendLocalNodeInfo(sender)
        .catch((error: unknown) => this.logger.debug(`${sender} was not informed`, error));
    return false;
  }

  override async connect(): Promise<void> {
    await super.connect();
    const connection = this.client as NatsConnection;
    this.isLinked = true;
    const largest = connection.info?.max_payload ?? 0;
    if (largest < minPayload)
      this.logger.warn(
        `NATS accepts messages of at most ${largest} bytes: large imports and lists of principals will be rejected; set max_payload: 64MB in its configuration`,
      );
    this.follow(connection).catch((error: unknown) =>
      this.logger.warn('the state of the NATS connection is no longer followed', error),
    );
    connection.subscribe(`${this.inbox}.>`, {
      callback: (error: Error | null, message: Msg) => {
        if (error === null && message.headers?.code === noResponders)
          this.missed(message.subject.slice(this.inbox.length + 1));
      },
    });
    this.pinging = setInterval(() => this.pingPendingNodes(), pingIntervalMs);
    this.pinging.unref();
  }

  override async disconnect(): Promise<void> {
    clearInterval(this.pinging);
    this.isLinked = false;
    await super.disconnect();
  }

  override async send(topic: string, data: Buffer, sent?: Sent): Promise<void> {
    const { type, target, payload } = sent?.packet ?? {};
    const id = payload?.id;
    if ((type !== 'REQ' && type !== 'PING') || typeof target !== 'string' || typeof id !== 'string')
      return super.send(topic, data);
    // The client would buffer it and deliver it long after its caller has given up.
    if (!this.isLinked) throw undelivered(type, target);
    const connection = this.client as NatsConnection;
    connection.publish(topic, data, { reply: `${this.inbox}.${id}.${target}` });
  }

  private async follow(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === Events.Disconnect) {
        this.isLinked = false;
        for (const nodeId of this.pendingNodes()) this.transit.removePendingRequestByNodeID(nodeId);
      }
      if (type === Events.Reconnect) {
        this.isLinked = true;
        await this.rediscover();
      }
    }
    this.isLinked = false;
  }

  /** After a reconnection others may have removed this node, and this node may have missed changes of the cluster. */
  private async rediscover(): Promise<void> {
    try {
      await this.transit.discoverer.sendLocalNodeInfo();
      await this.transit.discoverer.discoverAllNodes();
    } catch (error) {
      // The next heartbeats do the same, later.
      this.logger.debug('the cluster was not rediscovered', error);
    }
  }

  /** No node is subscribed to a packet's subject; `where` is the packet's id and its node. */
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

  private pendingNodes(): Set<string> {
    return new Set([...this.transit.pendingRequests.values()].map(({ nodeID }) => nodeID));
  }

  private pingPendingNodes(): void {
    if (!this.isLinked) return;
    for (const nodeId of this.pendingNodes())
      this.transit.sendPing(nodeId).catch((error: unknown) => this.logger.debug(`${nodeId} was not pinged`, error));
  }
}

function undelivered(action: string, nodeId: string): Error {
  const error = new Errors.RequestRejectedError({ action, nodeID: nodeId });
  error.data = { action, nodeID: nodeId, undelivered: true };
  return error;
}

/**
 * Address and credentials as the client takes them; Moleculer passes them percent-encoded, as they are in the address.
 */
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
 * The transporter of a process named `nodeId`. It connects when its broker starts, and reconnects without limit.
 * @param address `nats://` or `tls://`, with user and password, or a token, percent-encoded, where the server needs
 *   them
 */
export function openNatsTransporter(address: string, nodeId: string, membership: Membership): NatsTransporter {
  // With jitter, so that processes do not reconnect all at once; a server that misses two pings counts as down.
  const options: ConnectionOptions = {
    ...serverOf(address),
    name: nodeId,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    reconnectJitterTLS: 250,
    pingInterval: 5000,
    maxPingOut: 2,
    ignoreAuthErrorAbort: true,
  };
  return new NatsTransporter(options, membership);
}
