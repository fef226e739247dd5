import { setTimeout as pause } from 'node:timers/promises';
import type { ObjectView } from '../../models/storage-object.ts';
import type { VideoView } from '../../models/video.ts';
import { clip } from './support/clips.ts';
import { content, until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createLibrary, createVideo, sendPart } from './support/storage.ts';

/** Moments at which the program is killed, in milliseconds since it began to encode. */
const kills = [300, 1100, 1900, 700];

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram({ PLY_ENCODER_THREADS: '1', PLY_LEASE_SECONDS: '5' });
});
afterAll(() => program.end());

async function put(libraryId: string, bytes: Buffer<ArrayBuffer>): Promise<string> {
  const { id, upload } = await createVideo(program.standard, libraryId, { size: bytes.length });
  await sendPart(upload.parts[0]?.url, bytes);
  await program.standard.get(200, 'POST', `${content}/uploads/${upload.id}/complete`);
  return id;
}

const reaches = (id: string, ...statuses: string[]): Promise<VideoView> =>
  until(
    () => program.standard.get<VideoView>(200, 'GET', `${content}/videos/${id}`),
    ({ status }) => statuses.includes(status),
  );

/** Names and digests of a video's files. */
async function filesOf(libraryId: string, id: string): Promise<[string, string][]> {
  const path = `${content}/buckets/${libraryId}/objects?limit=1000&prefix=videos/${id}/`;
  const { items } = await program.standard.get<{ items: ObjectView[] }>(200, 'GET', path);
  return items.map(({ key, etag }) => [key.replace(`videos/${id}/`, ''), etag]);
}

describe('an encoder that is killed', () => {
  it('goes on from the segments that are there, and the result is the same', async () => {
    const { id: libraryId } = await createLibrary(program.admin, {
      processing: { ladder: [240, 360], download: true },
    });
    const bytes = await clip({ seconds: 61, size: '480x360', rate: 25 }, ['-crf', '40']);
    const whole = await put(libraryId, bytes);
    const undisturbed = await reaches(whole, 'ready', 'failed');
    const id = await put(libraryId, bytes);
    for (const moment of kills) {
      await reaches(id, 'encoding', 'playable', 'ready');
      await pause(moment);
      await program.process.kill();
      await program.start();
    }
    const killed = await reaches(id, 'ready', 'failed');
    expect({ ...killed, id: '', createdAt: '', updatedAt: '', playableAt: '', readyAt: '', uploadId: '' }).toEqual({
      ...undisturbed,
      ...{ id: '', createdAt: '', updatedAt: '', playableAt: '', readyAt: '', uploadId: '' },
      sourceKey: killed.sourceKey,
      title: killed.title,
    });
    expect(await filesOf(libraryId, id)).toEqual(await filesOf(libraryId, whole));
    expect((await filesOf(libraryId, id)).filter(([name]) => name.endsWith('.m4s'))).toHaveLength(33);
  }, 240_000);
});
