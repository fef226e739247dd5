import { readFileSync } from 'node:fs';
import { emptySettings, callbackSecretContext, settingsRows } from '../../../models/settings.ts';
import { scopeOf } from '../../../models/scope.ts';
import { CallbackReceiver } from '../../../test/support/callback-receiver.ts';
import { skipWithReason } from '../../../test/support/servers.ts';
import { SignedSource } from '../../../test/support/signed-source.ts';
import { openStudio, pictures, tone } from '../../../media/testing/recordings.ts';
import { openStage } from '../testing/stage.ts';

const secret = 'a secret of thirty-two characters';

const studio = await openStudio();
if ('unavailable' in studio) skipWithReason('recordings whose address is renewed', studio.unavailable);
else
  describe('recordings whose address is renewed', () => {
    const source = new SignedSource();
    const receiver = new CallbackReceiver(secret);
    let stage: Awaited<ReturnType<typeof openStage>>;
    beforeAll(async () => {
      await Promise.all([source.start(), receiver.start()]);
      stage = await openStage();
      const { app } = stage.test;
      await app.records.collection(settingsRows, scopeOf('organization')).put({
        ...emptySettings('organization', 0),
        callbackUrl: receiver.url,
        sealedCallbackSecret: app.sealer.seal(secret, callbackSecretContext('organization')),
      });
    });
    afterAll(async () => {
      await stage.close();
      await Promise.all([source.stop(), receiver.stop()]);
      studio.close();
    });

    it.each([
      ['one for all parts where it is good for long', 3_600_000],
      ['one for each part where it is good for less than a minute', 59_000],
    ])('have %s', async (_, milliseconds) => {
      const name = `${milliseconds}.mp4`;
      // The index stands at the end: it is read in parts, beside the content.
      const place = source.put(
        name,
        readFileSync(await studio.make(name, ...tone(2), ...pictures(2), '-pix_fmt', 'yuv420p')),
      );
      receiver.answerWith(() => ({
        body: { url: source.signed(name), expiresAt: new Date(Date.now() + milliseconds).toISOString() },
      }));
      const { next } = await stage.run({ ...place, externalId: name, filename: name, kind: 'video', callbackKey: 'k' });
      const read = source.of(name);
      expect({
        next,
        read: read.map(({ status }) => status),
        asked: receiver.count(name),
        rejected: receiver.rejected,
      }).toEqual({
        next: 'transcribing',
        read: [200, 206, 206],
        asked: milliseconds > 60_000 ? 1 : 3,
        rejected: [],
      });
      expect((await stage.sound()).seconds).toBeCloseTo(2, 0);
    });
  });
