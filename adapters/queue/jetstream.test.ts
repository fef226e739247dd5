import { setTimeout as sleep } from 'node:timers/promises';
import { RetentionPolicy, connect } from 'nats';
import { testInstallation } from '../../test/support/installation.ts';
import { describeWithServers } from '../../test/support/servers.ts';
import { queueConformance, stageMessage, until } from './conformance.ts';
import { openJetStreamQueue } from './jetstream.ts';

await describeWithServers('with a NATS server', ['nats'], ({ nats }) => {
  queueConformance('JetStream', async () => ({
    queue: await openJetStreamQueue({
      url: nats.url,
      installation: testInstallation('conformance'),
      redeliverAfterMs: 300,
    }),
  }));

  it('can be opened by several processes concurrently', async () => {
    const queues = await Promise.all(
      [1, 2, 3, 4].map(() => openJetStreamQueue({ url: nats.url, installation: testInstallation('at_once') })),
    );
    const seen: string[] = [];
    await Promise.all(
      queues.map((queue) => queue.consume('extracting', 1, async ({ message }) => void seen.push(message.jobId))),
    );
    for (const [i, queue] of queues.entries())
      await queue.publish('extracting', stageMessage(`from ${i}`), `at-once.${i}`);
    await until(() => seen.length === 4);
    expect(seen.sort()).toEqual(['from 0', 'from 1', 'from 2', 'from 3']);
    await Promise.all(queues.map((queue) => queue.close()));
  });

  it('continues with its messages after the server was killed and restarted', async () => {
    const queue = await openJetStreamQueue({
      url: nats.url,
      installation: testInstallation('restarted'),
      redeliverAfterMs: 100,
    });
    const seen: string[] = [];
    for (let i = 0; i < 10; i += 1) await queue.publish('embedding', stageMessage(`before ${i}`), `before.${i}`);
    const consumer = await queue.consume('embedding', 2, async ({ message }) => {
      await sleep(30);
      seen.push(message.jobId);
    });
    await until(() => seen.length >= 3);
    await nats.kill();
    await sleep(1500);
    await expect(queue.ping()).rejects.toThrow();
    await nats.restart();
    await until(async () =>
      queue.ping().then(
        () => true,
        () => false,
      ),
    );
    await queue.publish('embedding', stageMessage('after'), 'after.1');
    await until(() => new Set(seen).size === 11 && seen.includes('after'));
    expect(seen).toContain('after');
    await consumer.stop();
    await queue.close();
  });

  it('keeps messages while no process runs', async () => {
    const before = await openJetStreamQueue({ url: nats.url, installation: testInstallation('kept') });
    await before.publish('cleanup', stageMessage('kept'), 'kept.1');
    await before.close();
    const after = await openJetStreamQueue({ url: nats.url, installation: testInstallation('kept') });
    expect(await after.depth('cleanup')).toBe(1);
    const seen: string[] = [];
    await after.consume('cleanup', 1, async ({ message }) => void seen.push(message.jobId));
    await until(() => seen.length === 1);
    await after.close();
  });

  it('leaves a message to a worker that reports progress, and redelivers it if the worker is gone', async () => {
    const options = { url: nats.url, installation: testInstallation('signs'), ackWaitMs: 2500 };
    const lost = await openJetStreamQueue(options);
    let comeBack = () => {};
    let lostGot = 0;
    await lost.consume('extracting', 1, () => {
      lostGot += 1;
      return new Promise((resolve) => {
        comeBack = resolve;
      });
    });
    await lost.publish('extracting', stageMessage('of the lost'), 'signs.1');
    await until(() => lostGot === 1);

    const other = await openJetStreamQueue(options);
    const seen: string[] = [];
    await other.consume('extracting', 1, async ({ message, working }) => {
      seen.push(message.jobId);
      for (let i = 0; i < 8; i += 1) {
        await sleep(500);
        working();
      }
    });
    await until(async () => (await other.depth('extracting')) === 0);
    expect(seen).toEqual(['of the lost']);
    await other.publish('extracting', stageMessage('next'), 'signs.2');
    await until(async () => (await other.depth('extracting')) === 0);
    expect(seen).toEqual(['of the lost', 'next']);
    comeBack();
    await Promise.all([lost.close(), other.close()]);
  });

  it('terminates unreadable messages and continues', async () => {
    const reported: [string, number][] = [];
    const queue = await openJetStreamQueue({
      url: nats.url,
      installation: testInstallation('nonsense'),
      unreadable: (stage, bytes) => void reported.push([stage, bytes]),
    });
    const stranger = await connect({ servers: nats.url });
    for (const nonsense of ['', 'no json', '[]', '{"jobId":1}']) stranger.publish('nonsense_stages.cleanup', nonsense);
    // Closing alone drops unwritten data.
    await stranger.flush();
    await stranger.close();
    const seen: string[] = [];
    await queue.consume('cleanup', 1, async ({ message }) => void seen.push(message.jobId));
    await queue.publish('cleanup', stageMessage('sense'), 'sense.1');
    await until(async () => (await queue.depth('cleanup')) === 0);
    expect(seen).toEqual(['sense']);
    expect(reported).toEqual([
      ['cleanup', 0],
      ['cleanup', 7],
      ['cleanup', 2],
      ['cleanup', 11],
    ]);
    await queue.close();
  });

  it('belongs to one installation: another one with the same prefix is refused, also by a stream made by hand', async () => {
    const server = await connect({ servers: nats.url });
    const manager = await server.jetstreamManager();
    await manager.streams.add({
      name: 'by_hand_stages',
      subjects: ['by_hand_stages.*'],
      retention: RetentionPolicy.Workqueue,
      metadata: { purpose: 'kept' },
    });
    for (const prefix of ['new', 'by_hand']) {
      const first = await openJetStreamQueue({ url: nats.url, installation: testInstallation(prefix) });
      const other = testInstallation(prefix, '2f0e9d8c-0000-4000-8000-000000000002');
      await expect(openJetStreamQueue({ url: nats.url, installation: other })).rejects.toThrow(
        `the stream ${prefix}_stages belongs to the installation ${testInstallation(prefix).id}, and this process to the installation ${other.id}`,
      );
      await first.ping();
      // The stream was lost with the server's data, and another installation was first to make it again.
      const { config } = await manager.streams.info(`${prefix}_stages`);
      await manager.streams.update(`${prefix}_stages`, {
        metadata: { ...config.metadata, 'ply-installation': other.id },
      });
      await expect(first.ping()).rejects.toThrow(`the stream ${prefix}_stages belongs to the installation ${other.id}`);
      await first.close();
    }
    expect((await manager.streams.info('by_hand_stages')).config.metadata).toMatchObject({ purpose: 'kept' });
    await server.close();
  });

  it('stops and closes in time while the server is unavailable', async () => {
    const queue = await openJetStreamQueue({ url: nats.url, installation: testInstallation('away') });
    const consumer = await queue.consume('extracting', 4, async () => {});
    await nats.kill();
    const from = performance.now();
    await consumer.stop();
    await queue.close();
    // It does not wait for the server.
    expect(performance.now() - from).toBeLessThan(20_000);
    await nats.restart();
  });

  it('reports that there is no server', async () => {
    await expect(
      openJetStreamQueue({ url: 'nats://127.0.0.1:9', installation: testInstallation('away'), connectMs: 100 }),
    ).rejects.toThrow('NATS does not answer');
  });
});
