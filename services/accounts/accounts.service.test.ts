import { ServiceBroker } from 'moleculer';
import { call } from '../../mixins/actions/call.ts';
import { ParamsValidator } from '../../mixins/middlewares/params-validator.ts';
import { accountsService } from './accounts.service.ts';
import { hashKey } from './keys.ts';
import { adminOf, startedApp } from './testing/app.ts';

describe('the accounts service', () => {
  it('answers its actions through the broker, publishes no other action, and refuses invalid parameters', async () => {
    const { app, first } = await startedApp();
    const broker = new ServiceBroker({ logger: false, nodeID: 'accounts-test', validator: new ParamsValidator() });
    broker.createService(accountsService(app));
    await broker.start();
    await app.lifecycle.start();
    try {
      const caller = adminOf(first);
      expect(await call(broker, 'accounts.keyAccess', { keyHash: hashKey(first.adminKey) })).toMatchObject({
        scope: 'admin',
      });
      const made = await call(broker, 'accounts.createSubOrganization', { caller, organization: { name: 'n' } });
      expect(await call(broker, 'accounts.listSubOrganizations', { caller })).toEqual([made]);
      expect(
        await call(broker, 'accounts.organizationAccess', { accountId: first.accountId, organizationId: made.id }),
      ).toBe('allowed');
      expect(await call(broker, 'accounts.readAudit', { caller, limit: 1, before: null })).toMatchObject({
        items: [{ resourceId: made.id }],
        next: '3',
      });
      await expect(
        call(broker, 'accounts.readSubOrganization', { caller, id: '0189f2ac-0000-7000-8000-000000000000' }),
      ).rejects.toMatchObject({
        name: 'Refusal',
        type: 'sub_organization_not_found',
      });
      await expect(
        call(broker, 'accounts.readAudit', { caller: { ...caller, organizationId: made.id }, limit: 1, before: null }),
      ).rejects.toMatchObject({ type: 'organization_forbidden' });
      const published = broker.registry
        .getActionList({ onlyLocal: true, skipInternal: true })
        .map(({ name }) => name)
        .sort();
      expect(published).toEqual([
        'accounts.acceptInvitation',
        'accounts.beginSecondFactor',
        'accounts.changeOrganization',
        'accounts.changePassword',
        'accounts.changePerson',
        'accounts.changeSettings',
        'accounts.changeSubOrganization',
        'accounts.confirmSecondFactor',
        'accounts.createApiKey',
        'accounts.createSubOrganization',
        'accounts.deactivateApiKey',
        'accounts.deactivateSubOrganization',
        'accounts.dropSettings',
        'accounts.endSession',
        'accounts.invitePerson',
        'accounts.keyAccess',
        'accounts.listApiKeys',
        'accounts.listInvitations',
        'accounts.listPeople',
        'accounts.listSessions',
        'accounts.listSubOrganizations',
        'accounts.organizationAccess',
        'accounts.reactivateApiKey',
        'accounts.readAudit',
        'accounts.readInvitation',
        'accounts.readOrganization',
        'accounts.readPlan',
        'accounts.readProfile',
        'accounts.readSession',
        'accounts.readSettings',
        'accounts.readSubOrganization',
        'accounts.recordQuotaAlert',
        'accounts.recordSearchAs',
        'accounts.removeSecondFactor',
        'accounts.replaceRecoveryCodes',
        'accounts.replaceSettings',
        'accounts.revokeInvitation',
        'accounts.revokeOtherSessions',
        'accounts.revokeSession',
        'accounts.rotateApiKey',
        'accounts.sessionAccess',
        'accounts.startSession',
      ]);
      const announced = JSON.stringify(broker.registry.getServiceList({ withActions: true }));
      expect(announced).not.toContain('adapter');
    } finally {
      await app.lifecycle.stop(1000);
      await broker.stop();
      await app.stop();
    }
  });
});
