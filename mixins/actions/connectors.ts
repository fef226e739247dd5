import type { ConnectorView } from '../../models/connector.ts';
import { anyText, caller } from '../../models/schemas/internal.ts';
import { connectorInput } from '../../models/schemas/connectors.ts';
import { required, withDefault } from '../../models/schemas/schema.ts';
import { boolean, uuid } from '../../models/schemas/values.ts';
import { action, type } from './action.ts';

/** Actions of the connectors actor. */
export const connectorsActions = {
  create: action({
    params: { caller: required(caller), connector: required(connectorInput) },
    result: type<ConnectorView>(),
    repeatable: false,
  }),
  list: action({ params: { caller: required(caller) }, result: type<{ items: ConnectorView[] }>(), repeatable: true }),
  read: action({
    params: { caller: required(caller), connectorId: required(uuid) },
    result: type<ConnectorView>(),
    repeatable: true,
  }),
  replace: action({
    params: { caller: required(caller), connectorId: required(uuid), connector: required(connectorInput) },
    result: type<ConnectorView>(),
    repeatable: false,
  }),
  remove: action({
    params: { caller: required(caller), connectorId: required(uuid) },
    result: type<null>(),
    repeatable: false,
  }),
  requestSync: action({
    params: { caller: required(caller), connectorId: required(uuid) },
    result: type<{ connectorId: string; syncPending: boolean; requestedAt: string }>(),
    repeatable: true,
  }),
  /**
   * Where a connector's file can be read now (`ReadableAddress`), or why it cannot: a job's code, and a detail for the
   * log. Refuses nothing.
   */
  readAddress: action({
    params: {
      organizationId: required(anyText),
      connectorId: required(anyText),
      externalId: required(anyText),
      sourceUrl: required(anyText),
      sourceVersion: required(anyText),
    },
    result: type<
      | { address: string; redirects: boolean; verified: boolean }
      | {
          failure: 'source_access_denied' | 'source_unreachable' | 'source_version_changed' | 'source_host_not_allowed';
          detail: string;
        }
    >(),
    repeatable: true,
  }),
  /**
   * A storage event came in at a notification address; a handshake only asks whether the address is good. Refuses with
   * `invalid_callback`.
   */
  notify: action({
    params: { token: required(anyText), isHandshake: withDefault(boolean, false) },
    result: type<{ accepted: true }>(),
    repeatable: true,
  }),
};
