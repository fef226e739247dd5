import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { LinkView } from '../../models/bucket.ts';
import type { VideoView } from '../../models/video.ts';
import type { WebhookView } from '../../models/webhook.ts';
import { ensureProgram, runProgram } from '../../scripts/setup/system.ts';
import { freePort } from '../servers/ports.ts';
import { skipWithReason } from '../support/servers.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { content, expectRefused, until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createLibrary, createVideo, sendPart } from './support/storage.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-film-'));
const film = join(folder, 'film.mp4');
const present = await ensureProgram(['ffmpeg', '-version'], ['ffmpeg']);
const made = present.ok
  ? await runProgram('ffmpeg', [
      ...['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=25:d=7', '-f', 'lavfi', '-i', 'sine=d=7'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', film],
    ])
  : present;

if (!made.ok) skipWithReason('a film from its upload to its playback', made.reason);
else {
  let program: TestProgram;
  let receiver: WebhookReceiver;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    receiver = new WebhookReceiver(null);
    await receiver.start();
    program = await startTestProgram({ PLY_DELIVERY_PORT: String(port) });
  });
  afterAll(async () => {
    await program.end();
    await receiver.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('a film is uploaded, announced by two verified events, and played under its link', async () => {
    const { admin, standard } = program;
    const { secret = '' } = await admin.get<WebhookView>(201, 'POST', `${content}/webhooks`, {
      body: { url: receiver.url('/film'), events: ['video.playable', 'video.ready', 'video.failed'] },
      headers: { 'Idempotency-Key': randomUUID() },
    });
    const library = await createLibrary(admin);
    const bytes = readFileSync(film);
    const { id, upload } = await createVideo(standard, library.id, { size: bytes.length, fileName: 'film.mp4' });
    const sign = (): Promise<{ status: number; body: LinkView }> =>
      standard.ask('POST', `${content}/sign`, { body: { bucketId: library.id, videoId: id } });
    expect((await sign()).status).toBe(409);
    await sendPart(upload.parts[0]?.url, bytes);
    await standard.get(200, 'POST', `${content}/uploads/${upload.id}/complete`);
    const video = await until(
      () => standard.get<VideoView>(200, 'GET', `${content}/videos/${id}`),
      ({ status }) => status === 'ready' || status === 'failed',
      90_000,
    );
    expect(video).toMatchObject({ status: 'ready', errorCode: null });
    await until(
      () => Promise.resolve(receiver.at('/film').length),
      (count) => count === 2,
    );
    const events = receiver
      .at('/film')
      .map(({ body, headers }) => new Webhook(secret).verify(body, headers) as { type: string; data: object });
    expect(events.toSorted((one, other) => one.type.localeCompare(other.type))).toMatchObject([
      { type: 'video.playable', data: { videoId: id, libraryId: library.id, status: 'playable', sequence: 1 } },
      { type: 'video.ready', data: { videoId: id, libraryId: library.id, status: 'ready', sequence: 2 } },
    ]);
    const { body: links } = await sign();
    for (const link of [links.url, links.nativeUrl]) {
      const { host, pathname, search } = new URL(link ?? '');
      const read = await runProgram('ffprobe', [
        ...['-v', 'error', '-headers', `Host: ${host}\r\n`, '-show_entries', 'format=duration', '-of', 'csv=p=0'],
        `http://127.0.0.1:${port}${pathname}${search}`,
      ]);
      expect(read.ok ? Math.round(Number(read.output)) : read.reason).toBe(7);
    }
    for (const link of [links.posterUrl, links.thumbnailsUrl]) {
      if (link === null || link === undefined) continue;
      const { host, pathname, search } = new URL(link);
      const answer = await runProgram('curl', [
        ...['-s', '-o', '/dev/null', '-w', '%{http_code}', '-H', `Host: ${host}`],
        `http://127.0.0.1:${port}${pathname}${search}`,
      ]);
      expect(answer).toEqual({ ok: true, output: '200' });
    }
    await standard.get(202, 'DELETE', `${content}/videos/${id}`);
    expectRefused(await standard.ask('POST', `${content}/sign`, { body: { bucketId: library.id, videoId: id } }), [
      404,
      'video_not_found',
    ]);
  }, 150_000);
}
