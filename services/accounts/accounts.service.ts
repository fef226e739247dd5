import type { ServiceSchema } from 'moleculer';
import { actionsOf } from '../../mixins/actions-of.ts';
import type { House } from '../../mixins/house.ts';
import { recordsMixin } from '../../mixins/records/records.ts';
import { accounts } from '../../models/organization.ts';
import { keyAccess, organizationAccess } from './access.ts';
import { readAudit } from './audit.ts';
import { auditRetention } from './audit-retention.ts';
import { recordSearchAs } from './search-as.ts';
import { changeSettings, dropSettings, readSettings, replaceSettings } from './settings.ts';
import { settling } from './settling.ts';
import { changeSubOrganization, checkOwner, createSubOrganization, deactivateSubOrganization, listSubOrganizations, readSubOrganization } from './sub-organizations.ts';
import { accountCollections, booksOf, type AccountsHouse } from './tools.ts';

/** The actor that knows accounts, their organizations, their keys, their settings and their audit. */
export function accountsService(house: AccountsHouse & Pick<House, 'lifecycle' | 'sealer' | 'metrics'>): ServiceSchema {
  house.lifecycle.add(settling(house));
  house.lifecycle.add(auditRetention(house));
  return {
    name: 'accounts',
    mixins: [recordsMixin(house.records, accounts, accountCollections)],
    actions: actionsOf<'accounts'>({
      keyAccess: ({ keyHash }) => keyAccess(house, keyHash),
      organizationAccess: ({ accountId, organizationId }) => organizationAccess(house, accountId, organizationId),
      createSubOrganization: ({ caller, organization }) => createSubOrganization(house, caller, organization),
      listSubOrganizations: ({ caller }) => listSubOrganizations(house, caller),
      readSubOrganization: ({ caller, id }) => readSubOrganization(house, caller, id),
      changeSubOrganization: ({ caller, id, change }) => changeSubOrganization(house, caller, id, change),
      deactivateSubOrganization: ({ caller, id }) => deactivateSubOrganization(house, caller, id),
      recordSearchAs: (search) => recordSearchAs(house, search),
      readSettings: ({ caller }) => readSettings(house, caller),
      replaceSettings: ({ caller, settings }) => replaceSettings(house, caller, settings),
      changeSettings: ({ caller, change }) => changeSettings(house, caller, change),
      dropSettings: ({ caller }) => dropSettings(house, caller),
      readAudit: async ({ caller, limit, before }) => {
        const books = booksOf(house);
        await checkOwner(books, caller);
        return readAudit(books, caller.accountId, limit, before);
      },
    }),
  };
}
