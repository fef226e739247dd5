import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'nats';
import { parseMessage } from '../../adapters/queue/message.ts';
import { until } from '../../adapters/queue/conformance.ts';
import { openJetStreamQueue } from '../../adapters/queue/jetstream.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { indexing } from '../../mixins/indexing/kind.ts';
import { newRun } from '../../mixins/indexing/runs.ts';
import { Dispatcher } from '../../mixins/work/dispatcher.ts';
import { Sweeper } from '../../mixins/work/sweeper.ts';
import { assets as assetsDefinition, type Asset } from '../../models/asset.ts';
import type { WorkMessage } from '../../models/work.ts';
import { systemScope } from '../../models/scope.ts';
import { testAsset } from '../support/asset.ts';
import { testApp } from '../support/app.ts';
import { testInstallation } from '../support/installation.ts';
import { describeWithServers } from '../support/servers.ts';

/** A stored message, and whether this version reads it. */
interface RecordedMessage {
  of: string;
  text: string;
  isRead: boolean;
}

const messages = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures', 'stage-messages.json'), 'utf8'),
) as RecordedMessage[];
const ids = {
  organizationId: '7b2f6f0c-5d0e-4c56-9c55-6f1f0a7d0001',
  documentId: 'cce522ca-fd25-47b4-a668-02ded5d4285d',
  jobId: '9420acd0-f37f-482e-84ea-d4d87c5d3f2a',
};

it.each(messages.map((message) => [message.of, message] as const))(
  'a message of %s is read, or known to be unreadable',
  (_, { text, isRead }) => {
    expect(parseMessage(Buffer.from(text))).toEqual(isRead ? { ...ids, stageSeq: 1, attempt: 1 } : null);
  },
);

await describeWithServers('messages of other versions in JetStream', ['nats'], ({ nats }) => {
  it('are processed if readable; others are terminated, logged and counted, and their jobs dispatched again', async () => {
    const test = await testApp();
    const unreadable: string[] = [];
    const queue = await openJetStreamQueue({
      url: nats.url,
      installation: testInstallation('versions'),
      redeliverAfterMs: 200,
      unreadable: (stage) => void unreadable.push(stage),
    });
    const server = await connect({ servers: nats.url });
    try {
      const app: AppContext = { ...test.app, queue };
      const assets = app.records.collection(assetsDefinition, systemScope);
      const waiting: Asset = testAsset({
        _id: ids.documentId,
        organizationId: ids.organizationId,
        run: newRun(ids.jobId, 1, 1),
      });
      await assets.insert(waiting);
      const kind = indexing(app, () => Promise.resolve());
      const dispatcher = new Dispatcher(app, kind, { stage: 'extracting', slots: () => 4 });
      expect(await dispatcher.round()).toBe(1);
      // Messages of other versions replace its message, the unreadable ones first.
      await (await server.jetstreamManager()).streams.purge('versions_stages');
      const ordered = [...messages].sort((one, other) => Number(one.isRead) - Number(other.isRead));
      for (const { text } of ordered) await server.jetstream().publish('versions_stages.extracting', text);
      const taken: WorkMessage[] = [];
      const consumer = await queue.consume('extracting', 1, ({ message }) => {
        taken.push(message);
        return Promise.resolve();
      });
      await until(async () => (await queue.depth('extracting')) === 0);
      const readable = messages.filter(({ isRead }) => isRead).length;
      expect(taken).toEqual(Array.from({ length: readable }, () => ({ ...ids, stageSeq: 1, attempt: 1 })));
      expect(unreadable).toEqual(Array.from({ length: messages.length - readable }, () => 'extracting'));

      // No worker claimed it: after the timeout it is queued again, with a message of this version.
      const sweeper = new Sweeper(app, kind);
      expect(await sweeper.round()).toBe(0);
      expect((await assets.get(ids.documentId))?.run.phase).toBe('dispatched');
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
