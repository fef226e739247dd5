import { nothing } from '../../../models/schemas/answers/answer.ts';
import * as schemas from '../../../models/schemas/connectors.ts';
import { required } from '../../../models/schemas/schema.ts';
import { uuid } from '../../../models/schemas/values.ts';
import { route } from '../../../mixins/http/api/route.ts';
import { contentPath } from './paths.ts';

const path = `${contentPath}/connectors`;
const params = { connectorId: required(uuid) };
const common = { tag: 'Connectors', scope: 'standard', rate: 'requests', idempotency: 'none', query: {} } as const;
/** The plan feature that making, changing and syncing need; deleting always works. */
const feature = 'connectors';

/** Storage sources that are kept in step with the library. */
export const connectorRoutes = [
  route({
    ...common,
    method: 'POST',
    path,
    operation: 'createConnector',
    summary: 'Makes a connector to a bucket, a container or a Canvas. Nothing is read before its first sync.',
    action: 'connectors.create',
    feature,
    params: {},
    body: schemas.connectorInput,
    status: 201,
    answer: schemas.connectorAnswer,
    errors: ['connector_name_taken', 'source_host_not_allowed', 'source_host_outside_ceiling'],
    input: ({ caller, body }) => ({ caller, connector: body }),
  }),
  route({
    ...common,
    method: 'GET',
    path,
    operation: 'listConnectors',
    summary: 'Lists the connectors by name.',
    action: 'connectors.list',
    params: {},
    body: null,
    status: 200,
    answer: schemas.connectorsAnswer,
    errors: [],
    input: ({ caller }) => ({ caller }),
  }),
  route({
    ...common,
    method: 'GET',
    path: `${path}/{connectorId}`,
    operation: 'readConnector',
    summary: 'Reads a connector, and how its last sync went.',
    action: 'connectors.read',
    params,
    body: null,
    status: 200,
    answer: schemas.connectorAnswer,
    errors: ['connector_not_found'],
    input: ({ caller, path: { connectorId } }) => ({ caller, connectorId }),
  }),
  route({
    ...common,
    method: 'PUT',
    path: `${path}/{connectorId}`,
    operation: 'replaceConnector',
    summary:
      'Replaces what a connector is. A credential that is left out stays, unless the source is at another address.',
    action: 'connectors.replace',
    feature,
    params,
    body: schemas.connectorInput,
    status: 200,
    answer: schemas.connectorAnswer,
    errors: ['connector_not_found', 'connector_name_taken', 'source_host_not_allowed', 'source_host_outside_ceiling'],
    input: ({ caller, path: { connectorId }, body }) => ({ caller, connectorId, connector: body }),
  }),
  route({
    ...common,
    method: 'DELETE',
    path: `${path}/{connectorId}`,
    operation: 'removeConnector',
    summary: 'Deletes a connector and retires its notification address; what it indexed stays.',
    action: 'connectors.remove',
    params,
    body: null,
    status: 204,
    answer: nothing,
    errors: ['connector_not_found'],
    input: ({ caller, path: { connectorId } }) => ({ caller, connectorId }),
  }),
  route({
    ...common,
    method: 'POST',
    path: `${path}/{connectorId}/sync`,
    operation: 'requestSync',
    summary: 'Asks for a sync. Requests before it has started are one.',
    action: 'connectors.requestSync',
    feature,
    params,
    body: null,
    status: 202,
    answer: schemas.syncRequestAnswer,
    errors: ['connector_not_found'],
    input: ({ caller, path: { connectorId } }) => ({ caller, connectorId }),
  }),
];
