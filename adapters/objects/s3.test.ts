import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { s3TestKey, startS3Gateway } from '../../test/servers/s3.ts';
import { skipWithReason } from '../../test/support/servers.ts';
import { systemRuntime } from '../../models/runtime.ts';
import { objectsConformance } from './conformance.ts';
import { openObjects } from './open.ts';
import { openS3Objects } from './s3.ts';

const server = await startS3Gateway();
if (typeof server === 'string') {
  skipWithReason('objects in an S3-compatible store', server);
} else {
  const { host, folder, stop } = server;
  const { accessKeyId, secretAccessKey } = s3TestKey;
  const urlOf = (bucket: string): string => `s3+http://${accessKeyId}:${secretAccessKey}@${host}/${bucket}`;
  afterAll(() => stop());

  objectsConformance('an S3-compatible store', () => openS3Objects({ url: urlOf('suite/some/where'), pageNames: 7 }));

  describe('a bucket of objects', () => {
    async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
      yield bytes;
    }

    it('holds parts and a list of them: nothing is copied to join', async () => {
      const objects = await openObjects(urlOf('joined'), '', systemRuntime);
      const id = randomUUID();
      const parts = [
        { name: '1-a', bytes: 3 },
        { name: '2-a', bytes: 3 },
      ];
      for (const part of parts) await objects.writePart(id, part, pieces(randomBytes(3)));
      await objects.join(id, parts);
      expect(readdirSync(join(folder, 'joined', id)).sort()).toEqual(['1-a', '2-a', 'list.json']);
      await objects.close();
    });

    it('is read by a process that did not write it', async () => {
      const [one, other] = [await openS3Objects({ url: urlOf('both') }), await openS3Objects({ url: urlOf('both') })];
      const id = randomUUID();
      const parts = [
        { name: '1-a', bytes: 5 },
        { name: '2-a', bytes: 1 },
      ];
      await one.writePart(id, { name: '1-a', bytes: 5 }, pieces(Buffer.from('hello')));
      await one.writePart(id, { name: '2-a', bytes: 1 }, pieces(Buffer.from('!')));
      const content = await one.join(id, parts);
      const read: Uint8Array[] = [];
      for await (const piece of other.read(content, { from: 3, to: 5 })) read.push(piece);
      expect(Buffer.concat(read).toString()).toBe('lo!');
      await Promise.all([one.close(), other.close()]);
    });

    it('is unavailable while its store does not answer', async () => {
      const gone = await startS3Gateway();
      if (typeof gone === 'string') throw new Error(gone);
      const objects = await openS3Objects({ url: urlOf('gone').replace(host, gone.host) });
      await gone.stop();
      const away = { name: 'StoreUnavailable' };
      const id = randomUUID();
      await expect(
        objects.writePart(id, { name: '1-a', bytes: 5 }, pieces(Buffer.from('hello'))),
      ).rejects.toMatchObject(away);
      await expect(objects.head(id, '1-a', 1)).rejects.toMatchObject(away);
      await expect(objects.remove(id)).rejects.toMatchObject(away);
      await objects.close();
    });
  });
}
