import { setTimeout as pause } from 'node:timers/promises';
import { ServiceBroker } from 'moleculer';
import { connect } from 'nats';
import { describeWithServers } from '../../test/support/servers.ts';
import type { ForeignInstallation, Installation } from '../../models/installation.ts';
import { testInstallation } from '../../test/support/installation.ts';
import { openNatsTransporter, type NatsTransporter } from './nats.ts';

const installation = testInstallation('attentive');
const other = testInstallation('attentive', '2f0e9d8c-0000-4000-8000-000000000002');

describe('the address of a NATS server', () => {
  it.each([
    ['nats://one', { servers: ['one'] }],
    ['nats://ply:a%2Fb%2Bc%40d@one:4333', { servers: ['one:4333'], user: 'ply', pass: 'a/b+c@d' }],
    ['tls://some%3Dtoken@one:4222', { servers: ['one:4222'], token: 'some=token', tls: {} }],
  ])('%s', (address, wanted) => {
    const { servers, user, pass, token, tls } = openNatsTransporter(address, 'node', {
      installation,
      foreign: () => undefined,
    }).opts;
    expect({ servers, user, pass, token, tls }).toEqual({
      user: undefined,
      pass: undefined,
      token: undefined,
      tls: undefined,
      ...wanted,
    });
  });
});

/** Limit in milliseconds that distinguishes an immediate answer from one after the timeout of a minute. */
const atOnce = 30_000;

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(20);
}

await describeWithServers('calls over a NATS server', ['nats'], ({ nats }) => {
  const brokers: ServiceBroker[] = [];
  afterEach(async () => {
    await Promise.all(brokers.splice(0).map((broker) => broker.stop()));
  });

  async function node(
    nodeID: string,
    answer?: () => Promise<string>,
    membership: Installation = installation,
    foreign: (error: ForeignInstallation) => void = () => undefined,
  ): Promise<{ broker: ServiceBroker; transporter: NatsTransporter }> {
    const transporter = openNatsTransporter(nats.url, nodeID, { installation: membership, foreign });
    // Without heartbeats, so that only the transporter notices lost nodes.
    const broker = new ServiceBroker({
      namespace: 'attentive',
      nodeID,
      logger: false,
      skipProcessEventRegistration: true,
      requestTimeout: 60_000,
      heartbeatInterval: 60,
      heartbeatTimeout: 600,
      transporter,
    });
    if (answer !== undefined) broker.createService({ name: 'parrot', actions: { say: { handler: answer } } });
    await broker.start();
    brokers.push(broker);
    return { broker, transporter };
  }

  /** Disconnects a node like a killed process, without notice. */
  async function cut({ broker, transporter }: { broker: ServiceBroker; transporter: NatsTransporter }): Promise<void> {
    brokers.splice(brokers.indexOf(broker), 1);
    const { client }: { client: { close(): Promise<void> } } = transporter;
    await client.close();
    transporter.client = null;
    await broker.stop();
  }

  /** Sends a packet from outside of Moleculer. */
  async function send(subject: string, packet: string): Promise<void> {
    const server = await connect({ servers: nats.url });
    server.publish(subject, packet);
    await server.flush();
    await server.close();
  }

  async function failure(
    call: Promise<unknown>,
  ): Promise<{ error: { name?: string; data?: { undelivered?: boolean } }; milliseconds: number }> {
    const began = performance.now();
    try {
      await call;
    } catch (error) {
      return {
        error: error as { name?: string; data?: { undelivered?: boolean } },
        milliseconds: performance.now() - began,
      };
    }
    throw new Error('the call succeeded');
  }

  it('without a receiver are rejected immediately as undelivered, and the node gets no more calls', async () => {
    const caller = await node('caller-1');
    const callee = await node('callee-1', () => Promise.resolve('polly'));
    await caller.broker.waitForServices('parrot', 60_000);
    expect(await caller.broker.call('parrot.say')).toBe('polly');
    await cut(callee);
    const first = await failure(caller.broker.call('parrot.say'));
    expect(first.error).toMatchObject({ name: 'RequestRejectedError', data: { undelivered: true } });
    expect(first.milliseconds).toBeLessThan(atOnce);
    expect((await failure(caller.broker.call('parrot.say'))).error.name).toMatch(/^ServiceNot(Found|Available)Error$/);
  });

  it('in progress are rejected shortly after their node dies', async () => {
    const caller = await node('caller-2');
    const callee = await node('callee-2', () => new Promise<string>(() => undefined));
    await caller.broker.waitForServices('parrot', 60_000);
    const waiting = failure(caller.broker.call('parrot.say'));
    await pause(300);
    await cut(callee);
    const { error, milliseconds } = await waiting;
    expect(error.name).toBe('RequestRejectedError');
    expect(error.data?.undelivered).toBeUndefined();
    expect(milliseconds).toBeLessThan(atOnce);
  });

  it('never reach the nodes of another installation, and both installations learn of each other', async () => {
    const met: string[] = [];
    const own = await node(
      'own',
      () => Promise.resolve('own'),
      installation,
      ({ message }) => void met.push(message),
    );
    const strange: string[] = [];
    const stranger = await node(
      'stranger',
      () => Promise.resolve('strange'),
      other,
      ({ message }) => void strange.push(message),
    );
    // Both have discovered what there is by the end of their start.
    expect(strange[0]).toMatch(
      `the process own belongs to the installation ${installation.id}, and this process to the installation ${other.id}, under the same NATS prefix attentive`,
    );
    expect(met[0]).toMatch(`the process stranger belongs to the installation ${other.id}`);
    for (const { broker, name } of [
      { broker: own.broker, name: 'own' },
      { broker: stranger.broker, name: 'strange' },
    ]) {
      const nodes: { id: string }[] = broker.registry.getNodeList({ onlyAvailable: true, withServices: false });
      expect(nodes).toHaveLength(1);
      expect(await Promise.all([1, 2, 3, 4].map(() => broker.call('parrot.say')))).toEqual(Array(4).fill(name));
    }
  });

  it('of another installation are not served; those without one only while they may belong to it', async () => {
    const packet = { ver: '5', sender: 'former', id: 'former', action: 'parrot.say', params: {} };
    const request = JSON.stringify(packet);
    const calls = { strict: 0, lenient: 0 };
    const said = (name: keyof typeof calls) => () => Promise.resolve(String((calls[name] += 1)));
    const met: string[] = [];
    await node('strict', said('strict'), installation, ({ message }) => void met.push(message));
    await send('MOL-attentive.REQ.strict', request);
    await send('MOL-attentive.REQ.strict', JSON.stringify({ ...packet, installation: other.id }));
    await until(() => met.length === 2);
    expect(met[1]).toMatch(`the process former belongs to the installation ${other.id}`);
    await send('MOL-attentive.REQ.strict', JSON.stringify({ ...packet, installation: installation.id }));
    await until(() => calls.strict === 1);
    await node('lenient', said('lenient'), { ...installation, mayHaveFormerNodes: true });
    await send('MOL-attentive.REQ.lenient', request);
    await until(() => calls.lenient === 1);
    expect(calls.strict).toBe(1);
    expect(met[0]).toMatch('the process former belongs to another installation');
  });

  it('are rejected immediately while NATS is unavailable, and continue when it is back', async () => {
    const caller = await node('caller-3');
    await node('callee-3', () => Promise.resolve('back'));
    await caller.broker.waitForServices('parrot', 60_000);
    await nats.kill();
    while (caller.transporter.linked) await pause(10);
    const { error, milliseconds } = await failure(caller.broker.call('parrot.say'));
    expect(error.name).toMatch(/^(RequestRejected|ServiceNot(Found|Available))Error$/);
    expect(milliseconds).toBeLessThan(atOnce);
    await nats.restart();
    const answers = async (): Promise<boolean> =>
      caller.broker.call('parrot.say').then(
        (said) => said === 'back',
        () => false,
      );
    const began = performance.now();
    while (!(await answers())) {
      expect(performance.now() - began).toBeLessThan(60_000);
      await pause(50);
    }
    expect(caller.transporter.linked).toBe(true);
  });
});
