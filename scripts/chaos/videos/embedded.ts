import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { canMeasureProcesses, cpuSeconds, treeCpuSeconds } from '../../../bench/process-figures.ts';
import { systemRuntime } from '../../../models/runtime.ts';
import { WebhookReceiver, type ReceivedWebhook } from '../../../test/support/webhook-receiver.ts';
import type { ApiClient } from '../client.ts';
import { EmbeddedProgram, type Integrity } from '../embedded-program.ts';
import { createLibrary, ended, hasEnded, makeSources, upload, type EndedVideo, type Source } from './films.ts';

const content = '/api/content/v1';
/** Time for deliveries and usage to catch up after the last kill, in milliseconds. */
const maxWaitMs = 180_000;

/** Options of the test. */
export interface VideoChaosOptions {
  /** At most: none is made once all videos have come to their end. */
  kills: number;
  /** Minimum and maximum time from a start to the kill, in milliseconds. */
  lifetimeMs: [number, number];
  /** Length of the film. */
  seconds: number;
  log(line: string): void;
}

/** The result. */
export interface VideoChaosReport {
  kills: number;
  /** Descriptions of faults; it must be empty. */
  faults: string[];
  /** Requests that the endpoint got for its events; some events may come more than once. */
  webhooks: { events: number; requests: number };
  /** Processor time of ffmpeg, undisturbed and with kills, in seconds; null where it cannot be measured. */
  cpuSeconds: { undisturbed: number; killed: number; ratio: number } | null;
  slowestStartMs: number;
  integrity: Integrity;
}

/**
 * Encodes a film, a clip and a broken file undisturbed, and then again while the program is killed. Both must make the
 * same files, and tell the same events to an endpoint that verifies them.
 */
export async function videoChaos({
  kills,
  lifetimeMs: [shortest, longest],
  seconds,
  log,
}: VideoChaosOptions): Promise<VideoChaosReport> {
  const sources = await makeSources(seconds);
  const receiver = new WebhookReceiver(null);
  await receiver.start();
  const program = await EmbeddedProgram.start({
    PLY_ENCODER_THREADS: '1',
    PLY_EMBEDDING_THREADS: '0',
    PLY_LEASE_SECONDS: '5',
  });
  const cpu = new ProgramsCpu(program);
  try {
    const { client } = program;
    const { body: webhook } = await client.askUntilAnswered(
      'POST',
      `${content}/webhooks`,
      { url: receiver.url('/events'), events: ['video.playable', 'video.ready', 'video.failed'] },
      { 'Idempotency-Key': 'chaos-films' },
    );
    const told = verifiedEvents(receiver, String(webhook['secret']));
    const libraryId = await createLibrary(client);
    const round = async (key: string, disturb: (ids: string[]) => Promise<void>): Promise<EndedVideo[]> => {
      const ids: string[] = [];
      for (const source of sources) ids.push(await upload(client, libraryId, source, key));
      await disturb(ids);
      return Promise.all(ids.map((id) => ended(client, libraryId, id)));
    };
    cpu.begin();
    const whole = await round('whole', () => Promise.resolve());
    const undisturbed = cpu.end();
    let count = 0;
    cpu.begin();
    const killed = await round('killed', async (ids) => {
      while (count < kills) {
        await pause(shortest + systemRuntime.random() * (longest - shortest));
        if ((await Promise.all(ids.map((id) => hasEnded(client, id)))).every(Boolean)) return;
        await cpu.across(() => program.killAndStart());
        count += 1;
        if (count % 5 === 0) log(`  ${count} of ${kills} kills`);
      }
    });
    const disturbed = cpu.end();
    const faults = [
      ...faultsOfVideos(whole, killed, sources),
      ...(await faultsOfEvents(client, webhook, [...whole, ...killed], told)),
      ...(await faultsOfUsage(client, sources)),
    ];
    const { slowestStartMs } = program;
    await program.stop();
    return {
      kills: count,
      faults,
      webhooks: {
        events: new Set(told.map(({ id }) => id)).size,
        requests: receiver.received.length,
      },
      cpuSeconds:
        undisturbed === null || disturbed === null
          ? null
          : { undisturbed, killed: disturbed, ratio: Number((disturbed / undisturbed).toFixed(2)) },
      slowestStartMs,
      integrity: program.integrity(),
    };
  } finally {
    await program.remove();
    await receiver.stop();
  }
}

/** The processor time of the programs that a program starts, over its kills. */
class ProgramsCpu {
  readonly #program: EmbeddedProgram;
  #sum = 0;
  #from = 0;

  constructor(program: EmbeddedProgram) {
    this.#program = program;
  }

  begin(): void {
    this.#sum = 0;
    this.#from = this.#now();
  }

  /** What was used since the beginning, in seconds; null where it cannot be measured. */
  end(): number | null {
    return canMeasureProcesses() ? Number((this.#sum + this.#now() - this.#from).toFixed(1)) : null;
  }

  /** Counts what was used until a kill, and goes on behind the start, whose checks of programs do not count. */
  async across(kill: () => Promise<void>): Promise<void> {
    this.#sum += this.#now() - this.#from;
    await kill();
    this.#from = this.#now();
  }

  #now(): number {
    const { pid } = this.#program;
    return pid === undefined || !canMeasureProcesses() ? 0 : treeCpuSeconds(pid) - cpuSeconds(pid);
  }
}

function faultsOfVideos(
  whole: readonly EndedVideo[],
  killed: readonly EndedVideo[],
  sources: readonly Source[],
): string[] {
  return sources.flatMap(({ name, seconds }, at) => {
    const [one, other] = [whole[at], killed[at]];
    const expected = seconds === null ? 'failed video_unreadable' : 'ready null';
    const faults = [one, other]
      .filter((video) => `${video?.status} ${video?.errorCode}` !== expected)
      .map((video) => `${name} is ${video?.status} ${video?.errorCode}`);
    const missing = one?.files.filter((file) => !other?.files.includes(file)) ?? [];
    const added = other?.files.filter((file) => !one?.files.includes(file)) ?? [];
    if (missing.length + added.length > 0)
      faults.push(`${name} has other files after kills: not ${missing.join(', ')} but ${added.join(', ')}`);
    return faults;
  });
}

/** What an endpoint was told, once it is verified. */
interface ToldEvent {
  id: string;
  type: string;
  data: { videoId: string; sequence: number };
}

/**
 * The events that an endpoint gets from now on. Each is verified when it arrives, as a signature is too old after five
 * minutes; one that is not genuine is answered 400, so that its delivery does not arrive.
 */
function verifiedEvents(receiver: WebhookReceiver, secret: string): readonly ToldEvent[] {
  const verifier = new Webhook(secret);
  const told: ToldEvent[] = [];
  receiver.answerWith(({ body, headers }: ReceivedWebhook) => {
    try {
      told.push(verifier.verify(body, headers) as ToldEvent);
      return { status: 204 };
    } catch {
      // It is missed at the end.
      return { status: 400 };
    }
  });
  return told;
}

/** Each video tells what it reached, once, in order, signed; and every delivery arrives. */
async function faultsOfEvents(
  client: ApiClient,
  webhook: { [field: string]: unknown },
  videos: readonly EndedVideo[],
  told: readonly ToldEvent[],
): Promise<string[]> {
  const path = `${content}/webhooks/${String(webhook['id'])}/deliveries?limit=200`;
  const deadline = Date.now() + maxWaitMs;
  const pending = async (): Promise<boolean> => {
    const { body } = await client.askUntilAnswered('GET', `${path}&state=pending`);
    return (body['items'] as unknown[]).length > 0;
  };
  const expected = videos.reduce((sum, { status }) => sum + (status === 'ready' ? 2 : 1), 0);
  const arrived = (): number => new Set(told.map(({ id }) => id)).size;
  while (((await pending()) || arrived() < expected) && Date.now() < deadline) await pause(300);
  const events = new Map<string, Map<string, string>>();
  for (const { id, type, data } of told) {
    const ofVideo = events.get(data.videoId) ?? new Map<string, string>();
    events.set(data.videoId, ofVideo.set(id, `${data.sequence} ${type}`));
  }
  const faults: string[] = [];
  for (const { id, name, status } of videos) {
    const said = [...(events.get(id)?.values() ?? [])].sort().join(', ');
    const wanted = status === 'ready' ? '1 video.playable, 2 video.ready' : '1 video.failed';
    if (said !== wanted) faults.push(`${name} told "${said}" instead of "${wanted}"`);
  }
  if (events.size !== videos.length) faults.push(`${events.size} videos told something, not ${videos.length}`);
  return faults;
}

/** The minutes of both rounds are metered once. */
async function faultsOfUsage(client: ApiClient, sources: readonly Source[]): Promise<string[]> {
  const expected = (2 * sources.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0)) / 60;
  const [from, to] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10));
  const path = `${content}/usage/resources?metric=encoding_minutes&from=${from}&to=${to}`;
  const deadline = Date.now() + maxWaitMs;
  for (;;) {
    const { body } = await client.askUntilAnswered('GET', path);
    const sum = ((body['items'] ?? []) as { quantity: number }[]).reduce((all, { quantity }) => all + quantity, 0);
    if (Math.abs(sum - expected) < 0.001) return [];
    if (Date.now() > deadline) return [`${sum} minutes of encoding are metered instead of ${expected}`];
    await pause(500);
  }
}
