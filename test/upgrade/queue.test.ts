import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'nats';
import { parseStageMessage } from '../../adapters/queue/message.ts';
import { until } from '../../adapters/queue/conformance.ts';
import { openJetStreamQueue } from '../../adapters/queue/jetstream.ts';
import type { House } from '../../mixins/house.ts';
import * as transitions from '../../mixins/runs/transitions.ts';
import { assets as assetsDefinition, type Asset } from '../../models/asset.ts';
import type { StageMessage } from '../../models/job.ts';
import { systemScope } from '../../models/scope.ts';
import { Dispatcher } from '../../services/scheduler/dispatcher.ts';
import { Sweeper } from '../../services/scheduler/sweeper.ts';
import { testAsset } from '../support/asset.ts';
import { testHouse } from '../support/house.ts';
import { describeWithServers } from '../support/servers.ts';

/** A message as it lies in the queue, and whether this version reads it. */
interface RecordedMessage {
  of: string;
  text: string;
  isRead: boolean;
}

const messages = JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', 'stage-messages.json'), 'utf8')) as RecordedMessage[];
const ids = { organizationId: '7b2f6f0c-5d0e-4c56-9c55-6f1f0a7d0001', assetId: 'cce522ca-fd25-47b4-a668-02ded5d4285d', jobId: '9420acd0-f37f-482e-84ea-d4d87c5d3f2a' };

it.each(messages.map((message) => [message.of, message] as const))('a message of %s is read, or known to be unreadable', (_, { text, isRead }) => {
  expect(parseStageMessage(Buffer.from(text))).toEqual(isRead ? { ...ids, stageSeq: 1, attempt: 1 } : null);
});

await describeWithServers('messages of other versions in JetStream', ['nats'], ({ nats }) => {
  it('are worked off where they can be read; what cannot be is ended, told and counted, and its job offered anew from the records', async () => {
    const test = await testHouse();
    const unreadable: string[] = [];
    const queue = await openJetStreamQueue({ url: nats.url, stream: 'versions', redeliverAfterMs: 200, unreadable: (stage) => void unreadable.push(stage) });
    const server = await connect({ servers: nats.url });
    try {
      const house: House = { ...test.house, queue };
      const assets = house.records.collection(assetsDefinition, systemScope);
      const waiting: Asset = testAsset({ _id: ids.assetId, organizationId: ids.organizationId, run: transitions.newRun(ids.jobId, 1, 1) });
      await assets.insert(waiting);
      const dispatcher = new Dispatcher(house, assets, 'extracting', () => 4);
      expect(await dispatcher.round()).toBe(1);
      // In the place of its message lie those of other versions, the unreadable ones first.
      await (await server.jetstreamManager()).streams.purge('versions');
      const ordered = [...messages].sort((one, other) => Number(one.isRead) - Number(other.isRead));
      for (const { text } of ordered) await server.jetstream().publish('versions.extracting', text);
      const taken: StageMessage[] = [];
      const consumer = await queue.consume('extracting', 1, ({ message }) => {
        taken.push(message);
        return Promise.resolve();
      });
      await until(async () => (await queue.depth('extracting')) === 0);
      const readable = messages.filter(({ isRead }) => isRead).length;
      expect(taken).toEqual(Array.from({ length: readable }, () => ({ ...ids, stageSeq: 1, attempt: 1 })));
      expect(unreadable).toEqual(Array.from({ length: messages.length - readable }, () => 'extracting'));

      // Nobody claimed it: when the patience with that is over, it waits again, and rings with a message of this version.
      const sweeper = new Sweeper(house, assets, () => Promise.resolve({ recorded: 0 }));
      expect(await sweeper.round()).toBe(0);
      expect((await assets.get(ids.assetId))?.run.phase).toBe('dispatched');
      test.ahead.records += 61_000;
      expect(await sweeper.round()).toBe(1);
      expect(await dispatcher.round()).toBe(1);
      await until(() => taken.length === readable + 1);
      expect(taken.at(-1)).toMatchObject(ids);
      await consumer.stop();
    } finally {
      await server.close();
      await queue.close();
      await test.close();
    }
  });
});
