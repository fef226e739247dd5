import { scopeOf } from '../../models/scope.ts';
import { callbackSecretPlace, settingsRows, type SettingsRow } from '../../models/settings.ts';
import { settingsOf } from '../../mixins/settings/settings.ts';
import { changeSettings, dropSettings, readSettings, replaceSettings } from './settings.ts';
import { createSubOrganization } from './sub-organizations.ts';
import { adminOf, startedHouse } from './testing/house.ts';

const secret = 'thirty-two characters, or some more';

describe('settings at rest', () => {
  it('hold the callback secret sealed for their organization, and nowhere else', async () => {
    const { house, first } = await startedHouse();
    try {
      const owner = adminOf(first);
      const { id } = await createSubOrganization(house, owner, { name: 'Branch' });
      const branch = { ...owner, organizationId: id };
      const rowOf = (organizationId: string): Promise<SettingsRow | null> => house.records.collection(settingsRows, scopeOf(organizationId)).get(organizationId);
      expect(JSON.stringify(await replaceSettings(house, owner, { callbackSecret: secret }))).not.toContain(secret);
      const row = await rowOf(first.organizationId);
      expect(JSON.stringify(row)).not.toContain(secret);
      expect(house.sealer.open(row?.sealedCallbackSecret ?? '', callbackSecretPlace(first.organizationId))).toBe(secret);
      expect(() => house.sealer.open(row?.sealedCallbackSecret ?? '', callbackSecretPlace(id))).toThrow('does not open');

      // Who inherits it is told whose it is, since it opens for nobody else.
      const inherited = (await settingsOf(house, id)).callbackSecret;
      expect(inherited).toEqual({ organizationId: first.organizationId, sealed: row?.sealedCallbackSecret });
      expect(await readSettings(house, branch)).toMatchObject({ callbackSecretSet: true, origins: { callback_secret: 'owner' } });
      await changeSettings(house, branch, { callbackSecret: `${secret}, its own` });
      const own = (await settingsOf(house, id)).callbackSecret;
      expect(house.sealer.open(own?.sealed ?? '', callbackSecretPlace(own?.organizationId ?? ''))).toBe(`${secret}, its own`);

      await dropSettings(house, owner);
      expect(await rowOf(first.organizationId)).toBeNull();
      expect((await settingsOf(house, id)).callbackSecret).toEqual(own);
      expect((await settingsOf(house, first.organizationId)).callbackSecret).toBeNull();
    } finally {
      await house.stop();
    }
  });
});
