import { randomUUID } from 'node:crypto';
import { refusalOf } from '../../../models/errors.ts';
import { systemScope } from '../../../models/scope.ts';
import { releasedContents } from '../../../models/storage-object.ts';
import { testVideo } from '../../../test/support/video.ts';
import { openCrashingStorage } from '../objects/testing/stage.ts';
import { allObjects } from '../objects/tools.ts';
import { removeReleased } from '../objects/upkeep.ts';
import { writeVideoFiles } from './files.ts';
import { allVideos } from './tools.ts';

const minuteMs = 60_000;
const [named, unnamed] = [randomUUID(), randomUUID()];

async function* bytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('segment');
}

it('files of an encoder that lost its lease are removed a minute later, and those it had named stay', async () => {
  const { storage, advance, close } = await openCrashingStorage();
  const { app } = storage;
  const { run, ...video } = testVideo();
  await allVideos(app).insert({ ...video, run: { ...run, phase: 'working', token: 2 } });
  const files = await Promise.all(
    [named, unnamed].map(async (id) => {
      const part = { name: '1', bytes: 7 };
      await app.objects.writePart(id, part, bytes());
      const content = await app.objects.join(id, [part]);
      return {
        name: `e1/${id}.m4s`,
        size: 7,
        contentType: 'video/iso.segment',
        etag: `"${id}"`,
        content,
        metadata: {},
      };
    }),
  );
  const write = (token: number, given: typeof files): Promise<unknown> =>
    writeVideoFiles(storage, { organizationId: video.organizationId, videoId: video._id, token, files: given }).catch(
      (error: unknown) => refusalOf(error)?.type,
    );
  const stored = async (): Promise<string[]> =>
    (await Array.fromAsync(app.objects.list())).flat().map(({ content }) => content);

  expect(await write(2, files.slice(0, 1))).toBeNull();
  expect(await write(1, files)).toBe('video_not_found');
  await removeReleased(storage);
  expect(new Set(await stored())).toEqual(new Set([named, unnamed]));
  advance(minuteMs + 1000);
  await removeReleased(storage);
  expect(new Set(await stored())).toEqual(new Set([named]));
  expect((await allObjects(app).find({ filter: {}, limit: 9 })).map(({ contentId }) => contentId)).toEqual([named]);
  expect(await app.records.collection(releasedContents, systemScope).count({})).toBe(0);
  await close();
});
