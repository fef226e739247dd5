import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { pino } from 'pino';
import { startProgram, type Program } from '../app/program.ts';
import { publishEvents } from '../mixins/webhooks/publish-events.ts';
import { readConfiguration } from '../models/configuration/configuration.ts';
import { systemScope } from '../models/scope.ts';
import type { VideoEvent } from '../models/video.ts';
import { webhooks } from '../models/webhook.ts';
import { makeTestAuthority } from '../test/support/test-authority.ts';
import { WebhookReceiver } from '../test/support/webhook-receiver.ts';
import { sealedTestWebhook } from '../test/support/webhook.ts';
import type { Figure, Part } from './figures.ts';
import { median, percentile } from './statistics.ts';

const endpoints = 1000;
const hanging = 100;
/** Endpoints of an organization at most. */
const ofOrganization = 10;
/** Events of the quiet measurement, and milliseconds between two. */
const single = 200;
const singleEveryMs = 50;

/**
 * From an event to the first attempt at its endpoints, over HTTPS: alone, and with 1,000 endpoints of 100 organizations of
 * which 100 take connections and never answer. Program and receiver share one process.
 */
export const part: Part = async ({ full }) => {
  const authority = await makeTestAuthority();
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(authority.trustFile, 'utf8')]);
  const receiver = new WebhookReceiver(await authority.issue());
  await receiver.start();
  receiver.answerWith(({ path }) => (path.startsWith('/hang/') ? 'hang' : { status: 204 }));
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-'));
  const configuration = readConfiguration({
    PLY_API_PORT: '0',
    PLY_METRICS_PORT: '0',
    PLY_DELIVERY_PORT: '0',
    PLY_UPLOAD_PORT: '0',
    PLY_BLOB_PORT: '0',
    PLY_DATA_DIR: folder,
    PLY_PRIVATE_NETWORKS: 'allow',
    PLY_EMBEDDING_THREADS: '0',
  });
  const program = await startProgram(configuration, { log: pino({ level: 'silent' }) });
  try {
    const organizations = await addEndpoints(program, receiver);
    const alone = await measureAlone(program, receiver, organizations[organizations.length - 1] ?? '');
    const rounds: Figure[] = [];
    for (let round = 1; round <= (full ? 5 : 2); round += 1) {
      const delays = await measureAll(program, receiver, organizations);
      rounds.push({
        ...figureOf(
          `${endpoints} endpoints of which ${hanging} hang, ${round === 1 ? 'the first event of each' : `event ${round} of each, right after`}: event to first attempt at the others`,
          delays,
          5000,
        ),
      });
    }
    return [figureOf(`${single} events, one each ${singleEveryMs} ms: event to first attempt`, alone, 2000), ...rounds];
  } finally {
    await program.stop();
    await receiver.stop();
    authority.remove();
    await rm(folder, { recursive: true, force: true });
  }
};

function figureOf(name: string, delays: readonly number[], targetMs: number): Figure {
  const p95 = percentile(delays, 0.95);
  return {
    name,
    measured: `p50 ${median(delays).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms (${delays.length} attempts)`,
    against: '',
    target: `p95 under ${targetMs / 1000} s`,
    reached: p95 < targetMs,
  };
}

/** Makes the endpoints; the last organization has one that answers and is alone. Returns the organizations. */
async function addEndpoints({ app }: Program, receiver: WebhookReceiver): Promise<string[]> {
  const ids = Array.from({ length: endpoints / ofOrganization + 1 }, () => randomUUID());
  const made = ids.flatMap((organizationId, at) =>
    Array.from({ length: at === ids.length - 1 ? 1 : ofOrganization }, (_, index) => {
      const _id = randomUUID();
      // Each organization has one that hangs.
      const path = `/${index === 1 ? 'hang' : 'well'}/${_id}`;
      return sealedTestWebhook(app.sealer, { _id, organizationId, url: receiver.url(path) });
    }),
  );
  await app.records.collection(webhooks, systemScope).insertNew(made);
  return ids;
}

const eventOf = (organizationId: string): VideoEvent => ({
  id: randomUUID(),
  type: 'video.ready',
  at: Date.now(),
  organizationId,
  videoId: randomUUID(),
  libraryId: randomUUID(),
  status: 'ready',
  errorCode: null,
  sequence: 2,
});

/** Publishes events, and waits until so many attempts have arrived at endpoints that answer. Returns their delays. */
async function measure(
  receiver: WebhookReceiver,
  expected: number,
  publish: (at: Map<string, number>) => Promise<void>,
): Promise<number[]> {
  const begun = new Map<string, number>();
  receiver.received.length = 0;
  await publish(begun);
  const answered = (): { at: number; id: string }[] =>
    receiver.received
      .filter(({ path }) => path.startsWith('/well/'))
      .map(({ at, headers }) => ({ at, id: headers['webhook-id'] ?? '' }));
  for (let waited = 0; answered().length < expected; waited += 50) {
    if (waited > 120_000) throw new Error(`${answered().length} of ${expected} attempts arrived within two minutes`);
    await pause(50);
  }
  return answered().map(({ at, id }) => at - (begun.get(id) ?? 0));
}

function measureAlone({ app }: Program, receiver: WebhookReceiver, organizationId: string): Promise<number[]> {
  return measure(receiver, single, async (begun) => {
    for (let count = 0; count < single; count += 1) {
      const event = eventOf(organizationId);
      begun.set(event.id, event.at);
      await publishEvents(app, [event]);
      await pause(singleEveryMs);
    }
  });
}

function measureAll({ app }: Program, receiver: WebhookReceiver, organizations: readonly string[]): Promise<number[]> {
  const answering = endpoints - hanging + 1;
  return measure(receiver, answering, async (begun) => {
    for (const organizationId of organizations) {
      const event = eventOf(organizationId);
      begun.set(event.id, event.at);
      await publishEvents(app, [event]);
    }
  });
}
