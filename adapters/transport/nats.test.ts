import { setTimeout as pause } from 'node:timers/promises';
import { ServiceBroker } from 'moleculer';
import { describeWithServers } from '../../test/support/servers.ts';
import { openNatsTransporter, type AttentiveNats } from './nats.ts';

describe('the address of a NATS server', () => {
  it.each([
    ['nats://one', { servers: ['one'] }],
    ['nats://ply:a%2Fb%2Bc%40d@one:4333', { servers: ['one:4333'], user: 'ply', pass: 'a/b+c@d' }],
    ['tls://some%3Dtoken@one:4222', { servers: ['one:4222'], token: 'some=token', tls: {} }],
  ])('%s', (address, wanted) => {
    const { servers, user, pass, token, tls } = openNatsTransporter(address, 'node').opts;
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

await describeWithServers('calls over a NATS server', ['nats'], ({ nats }) => {
  const brokers: ServiceBroker[] = [];
  afterEach(async () => {
    await Promise.all(brokers.splice(0).map((broker) => broker.stop()));
  });

  async function node(
    nodeID: string,
    answer?: () => Promise<string>,
  ): Promise<{ broker: ServiceBroker; transporter: AttentiveNats }> {
    const transporter = openNatsTransporter(nats.url, nodeID);
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
  async function cut({ broker, transporter }: { broker: ServiceBroker; transporter: AttentiveNats }): Promise<void> {
    brokers.splice(brokers.indexOf(broker), 1);
    const { client }: { client: { close(): Promise<void> } } = transporter;
    await client.close();
    transporter.client = null;
    await broker.stop();
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
