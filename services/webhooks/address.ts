import { faultOfTarget } from '../../mixins/guarded-client/addresses.ts';
import { reachableAddresses } from '../../mixins/guarded-client/connector.ts';
import { requestFailureOf } from '../../mixins/guarded-client/failure.ts';
import { invalid, Refusal } from '../../models/errors.ts';
import type { WebhookTools } from './tools.ts';

/** Milliseconds that looking up a host name may take. */
const lookUpMs = 5000;

/** Addresses are sent in the form in which requests carry them: percent-encoded, names in `xn--` form. */
const printable = /^[\x21-\x7e]+$/;

/**
 * Checks the address of an endpoint: by itself, and that its name leads to addresses that may be reached. Requests check
 * it again. What is wrong with an address is not said: answers would tell what the network behind the service has.
 * @throws Refusal `validation_error` where it is no https address, `webhook_url_invalid`
 */
export async function checkAddress(
  { app, resolve }: Pick<WebhookTools, 'app' | 'resolve'>,
  address: string,
): Promise<void> {
  const { PLY_PRIVATE_NETWORKS: privateNetworks } = app.configuration;
  if (privateNetworks === 'deny' && !/^https:/i.test(address))
    throw invalid(['body', 'url'], 'url must be an address with https://.');
  const refused = new Refusal('webhook_url_invalid');
  if (!printable.test(address) || address.includes('\\')) throw refused;
  const url = new URL(address);
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(address)) throw refused;
  if (faultOfTarget(url, privateNetworks) !== null) throw refused;
  try {
    await reachableAddresses({ privateNetworks, resolve, connectMs: lookUpMs }, url.hostname);
  } catch (error) {
    if (requestFailureOf(error) === null) throw error;
    throw refused;
  }
}
