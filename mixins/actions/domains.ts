import type { DomainView } from '../../models/domain.ts';
import { domainPage, newDomain } from '../../models/schemas/domains.ts';
import { anyText, caller } from '../../models/schemas/internal.ts';
import { required } from '../../models/schemas/schema.ts';
import { uuid } from '../../models/schemas/values.ts';
import { action, type } from './action.ts';

const ofDomain = { caller: required(caller), domainId: required(uuid) };

/** Actions of the storage actor about custom domains. */
export const domainActions = {
  addDomain: action({
    params: { caller: required(caller), id: required(anyText), domain: required(newDomain) },
    result: type<DomainView>(),
    repeatable: true,
  }),
  listDomains: action({
    params: { caller: required(caller), ...domainPage },
    result: type<{ items: DomainView[]; nextCursor: string | null }>(),
    repeatable: true,
  }),
  readDomain: action({ params: ofDomain, result: type<DomainView>(), repeatable: true }),
  removeDomain: action({ params: ofDomain, result: type<null>(), repeatable: true }),
  checkDomain: action({ params: ofDomain, result: type<DomainView>(), repeatable: false }),
};
