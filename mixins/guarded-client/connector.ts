import { lookup, Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildConnector } from 'undici';
import { isAddressAllowed, literalOf, type PrivateNetworks } from './addresses.ts';
import { RequestFailure, failureFrom } from './failure.ts';

/** Returns all IP addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** What a guarded connector is made from. */
export interface ConnectorOptions {
  privateNetworks: PrivateNetworks;
  resolve: Resolve;
  /** Milliseconds for a look-up, and for a connection to each address. */
  connectMs: number;
  /** Opens a connection to an address that was checked; undici's own way if omitted. */
  connect?: buildConnector.connector;
}

/** Addresses of one name that are tried, one after another. */
const maxAddresses = 3;

/** The system's own resolution: the hosts file, then DNS. */
export const systemResolve: Resolve = async (name) =>
  (await lookup(name, { all: true, order: 'ipv4first' })).map((answer) => answer.address);

/** Milliseconds of one question to a name server, and how often it is asked. */
const dnsOptions = { timeout: 2000, tries: 2 };

/**
 * Asks the name servers, without the hosts file. Unlike the system's resolution it holds no thread of the process while
 * it waits: names whose servers do not answer delay no others.
 */
export const dnsResolve: Resolve = async (name) => {
  const resolver = new Resolver(dnsOptions);
  const questions = [resolver.resolve4(name), resolver.resolve6(name)];
  const answers = await Promise.allSettled(questions);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  return found.length > 0 ? found : (await Promise.all(questions)).flat();
};

async function within<T>(work: Promise<T>, milliseconds: number, what: string): Promise<T> {
  const done = new AbortController();
  const late = sleep(milliseconds, undefined, { signal: done.signal, ref: false }).then(() => {
    throw new RequestFailure('timeout', what);
  });
  // A rejection after the race is settled has no receiver.
  late.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}

/**
 * The addresses of a host, at most `maxAddresses`, if all that it has may be reached.
 * @param hostname a name, or an IP literal as it stands in an address
 * @throws RequestFailure `refused`, `unresolved`, `timeout`
 */
export async function reachableAddresses(
  { privateNetworks, resolve, connectMs }: Pick<ConnectorOptions, 'privateNetworks' | 'resolve' | 'connectMs'>,
  hostname: string,
): Promise<readonly string[]> {
  const literal = literalOf(hostname);
  let addresses: readonly string[];
  try {
    addresses =
      literal === null
        ? await within(resolve(hostname), connectMs, `the host ${hostname} could not be looked up in time`)
        : [literal];
  } catch (error) {
    throw failureFrom(error, hostname, undefined);
  }
  if (addresses.length === 0) throw new RequestFailure('unresolved', `the host ${hostname} has no address`);
  if (!addresses.every((address) => isAddressAllowed(address, privateNetworks))) {
    throw new RequestFailure('refused', `the host ${hostname} has an address that may not be reached`);
  }
  return addresses.slice(0, maxAddresses);
}

/**
 * Opens connections only to addresses that may be reached. A literal is checked as it is. A name is looked up once,
 * **every** answer is checked (one that may not be reached refuses the name: it is mixed in to be chosen later), and
 * the connection goes to the checked address itself, so a second look-up cannot lead elsewhere. What the socket is
 * in fact connected to is checked once more before a byte is sent. TLS verifies the name, not the address.
 */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  const { privateNetworks, connectMs } = options;
  const connect = options.connect ?? buildConnector({ allowH2: false, timeout: connectMs, autoSelectFamily: false });

  function connectTo(address: string, request: buildConnector.Options): Promise<Parameters<buildConnector.Callback>> {
    const literal = literalOf(request.hostname);
    const target: buildConnector.Options = { ...request, hostname: address };
    if (request.protocol === 'https:' && literal === null) target.servername = request.hostname;
    return new Promise((settle) => {
      connect(target, (...outcome) => settle(outcome));
    });
  }

  async function open(request: buildConnector.Options): Promise<Parameters<buildConnector.Callback>> {
    if (
      privateNetworks === 'deny' &&
      (request.protocol !== 'https:' || (request.port !== '' && request.port !== '443'))
    ) {
      throw new RequestFailure('refused', `only https on port 443 may be asked, not ${request.hostname}`);
    }
    let outcome: Parameters<buildConnector.Callback> | undefined;
    for (const address of await reachableAddresses(options, request.hostname)) {
      outcome = await connectTo(address, request);
      const [error, socket] = outcome;
      if (error !== null) continue;
      if (socket.remoteAddress !== undefined && isAddressAllowed(socket.remoteAddress, privateNetworks)) return outcome;
      socket.destroy();
      throw new RequestFailure('refused', `the host ${request.hostname} led to an address that may not be reached`);
    }
    return outcome ?? [new RequestFailure('unresolved', `the host ${request.hostname} has no address`), null];
  }

  return (request, callback) => {
    open(request).then(
      (outcome) => callback(...outcome),
      (error: unknown) => callback(failureFrom(error, request.hostname, undefined), null),
    );
  };
}
