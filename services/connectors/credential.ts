import type { AppContext } from '../../mixins/app-context.ts';
import { credentialContext, type Connector, type ConnectorSource } from '../../models/connector.ts';
import { invalid } from '../../models/errors.ts';
import { destinationOf } from './check-source.ts';

/**
 * Encrypts a credential in the form in which it is sent to the source. The leading `?` of a shared access signature is
 * removed. A signature with more permissions than List and Read is refused, because they are not needed.
 * @throws Refusal `validation_error`
 */
export function sealCredential(
  { sealer }: Pick<AppContext, 'sealer'>,
  connectorId: string,
  kind: ConnectorSource['kind'],
  credential: string,
): string {
  const given = kind === 'azure_blob' ? credential.replace(/^\?/, '') : credential;
  if (given === '')
    throw invalid(['body', 'credential'], 'Give the shared access signature as it stands in a query string.');
  const permissions = kind === 'azure_blob' ? new URLSearchParams(given).get('sp') : null;
  if (permissions !== null && /[^rl]/.test(permissions))
    throw invalid(
      ['body', 'credential'],
      'Give a shared access signature with the permissions List and Read only (sp=rl).',
    );
  return sealer.seal(given, credentialContext(connectorId));
}

/**
 * The credential of a replaced connector: the given one, else the stored one. The stored one is never sent to another
 * host or to a source of another kind: the client then has to send it again.
 * @throws Refusal `validation_error`
 */
export function replacedCredential(
  app: Pick<AppContext, 'sealer'>,
  connector: Connector,
  source: ConnectorSource,
  credential: string | null,
): string | null {
  if (credential !== null) return sealCredential(app, connector._id, source.kind, credential);
  if (connector.sealedCredential !== null && destinationOf(source) !== destinationOf(connector.source)) {
    throw invalid(
      ['body', 'credential'],
      'The source is at another address: send its credential again, because the stored one is for the address before.',
    );
  }
  return connector.sealedCredential;
}
