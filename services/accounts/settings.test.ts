import { scopeOf } from '../../models/scope.ts';
import { callbackSecretContext, settingsRows, type SettingsRow } from '../../models/settings.ts';
import { settingsOf } from '../../mixins/settings/settings.ts';
import { changeSettings, dropSettings, readSettings, replaceSettings } from './settings.ts';
import { createSubOrganization } from './sub-organizations.ts';
import { adminOf, startedApp } from './testing/app.ts';

const secret = 'thirty-two characters, or some more';

describe('settings at rest', () => {
  it('hold the callback secret sealed for their organization, and nowhere else', async () => {
    const { app, first } = await startedApp();
    try {
      const owner = adminOf(first);
      const { id } = await createSubOrganization(app, owner, { name: 'Branch' });
      const branch = { ...owner, organizationId: id };
      const rowOf = (organizationId: string): Promise<SettingsRow | null> =>
        app.records.collection(settingsRows, scopeOf(organizationId)).get(organizationId);
      expect(JSON.stringify(await replaceSettings(app, owner, { callbackSecret: secret }))).not.toContain(secret);
      const row = await rowOf(first.organizationId);
      expect(JSON.stringify(row)).not.toContain(secret);
      expect(app.sealer.open(row?.sealedCallbackSecret ?? '', callbackSecretContext(first.organizationId))).toBe(
        secret,
      );
      expect(() => app.sealer.open(row?.sealedCallbackSecret ?? '', callbackSecretContext(id))).toThrow(
        'does not open',
      );

      // An organization that inherits it gets its owner's id, which is needed to unseal it.
      const inherited = (await settingsOf(app, id)).callbackSecret;
      expect(inherited).toEqual({ organizationId: first.organizationId, sealed: row?.sealedCallbackSecret });
      expect(await readSettings(app, branch)).toMatchObject({
        callbackSecretSet: true,
        origins: { callback_secret: 'owner' },
      });
      await changeSettings(app, branch, { callbackSecret: `${secret}, its own` });
      const own = (await settingsOf(app, id)).callbackSecret;
      expect(app.sealer.open(own?.sealed ?? '', callbackSecretContext(own?.organizationId ?? ''))).toBe(
        `${secret}, its own`,
      );

      await dropSettings(app, owner);
      expect(await rowOf(first.organizationId)).toBeNull();
      expect((await settingsOf(app, id)).callbackSecret).toEqual(own);
      expect((await settingsOf(app, first.organizationId)).callbackSecret).toBeNull();
    } finally {
      await app.stop();
    }
  });
});
