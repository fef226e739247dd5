import type { House } from '../../mixins/house.ts';
import { credentialPlace, type Connector, type ConnectorSource } from '../../models/connector.ts';
import { invalid } from '../../models/errors.ts';
import { destinationOf } from './check-source.ts';

/**
 * Seals a credential as it is sent to its source. Of a shared access signature the question mark in front is dropped, and
 * one that allows more than to list and to read is not taken: it would be a risk without a use.
 * @throws Refusal `validation_error`
 */
export function sealCredential({ sealer }: Pick<House, 'sealer'>, connectorId: string, kind: ConnectorSource['kind'], credential: string): string {
  const given = kind === 'azure_blob' ? credential.replace(/^\?/, '') : credential;
  if (given === '') throw invalid(['body', 'credential'], 'Give the shared access signature as it stands in a query string.');
  const permissions = kind === 'azure_blob' ? new URLSearchParams(given).get('sp') : null;
  if (permissions !== null && /[^rl]/.test(permissions)) throw invalid(['body', 'credential'], 'Give a shared access signature with the permissions List and Read only (sp=rl).');
  return sealer.seal(given, credentialPlace(connectorId));
}

/**
 * The credential that a replaced connector has: the one that was sent, else the stored one. A stored one is never sent to
 * another host, nor as one of another kind: then it has to be sent again.
 * @throws Refusal `validation_error`
 */
export function credentialAfter(house: Pick<House, 'sealer'>, connector: Connector, source: ConnectorSource, credential: string | null): string | null {
  if (credential !== null) return sealCredential(house, connector._id, source.kind, credential);
  if (connector.sealedCredential !== null && destinationOf(source) !== destinationOf(connector.source)) {
    throw invalid(['body', 'credential'], 'The source is at another address: send its credential again, because the stored one is for the address before.');
  }
  return connector.sealedCredential;
}
