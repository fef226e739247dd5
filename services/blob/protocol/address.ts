import type { IncomingMessage } from 'node:http';
import type { Region } from '../../../models/region.ts';
import { Fault } from './faults.ts';

/** Where a request goes. */
export interface BlobAddress {
  account: string;
  /** Null at the level of the service. */
  container: string | null;
  /** Name of the blob, decoded; null at the level of a container. */
  blob: string | null;
  /** The path as sent, before its question mark. */
  path: string;
  /** Parameters by lower-case name, decoded; of a repeated name all values. */
  query: Query;
}

/** Parameters of a request. */
export class Query {
  readonly #values = new Map<string, string[]>();

  constructor(search: string) {
    for (const pair of search.split('&')) {
      if (pair === '') continue;
      const equals = pair.indexOf('=');
      const name = decoded(equals < 0 ? pair : pair.slice(0, equals)).toLowerCase();
      const value = equals < 0 ? '' : decoded(pair.slice(equals + 1));
      const values = this.#values.get(name);
      if (values === undefined) this.#values.set(name, [value]);
      else values.push(value);
    }
  }

  /** The first value of a parameter; null if it is absent. */
  get(name: string): string | null {
    return this.#values.get(name)?.[0] ?? null;
  }

  /** Whether a parameter has several values. */
  isRepeated(name: string): boolean {
    return (this.#values.get(name)?.length ?? 0) > 1;
  }

  /** Names and values, sorted by name. */
  get sorted(): (readonly [name: string, values: readonly string[]])[] {
    return [...this.#values].sort(([one], [other]) => (one < other ? -1 : 1));
  }
}

/** Decodes a part of an address. Plus signs are what they are. @throws Fault */
function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Fault('RequestUrlFailedToParse');
  }
}

/** Finds the account in the host of a request; null where the path has it. */
export type AccountOfHost = (host: string) => string | null;

const accountLabel = '[a-z0-9]{3,24}';

/** Finds accounts in hosts as the endpoints of the regions have them. */
export function accountsInHosts(regions: readonly Region[]): AccountOfHost {
  const hosts = new Set(
    regions.flatMap(({ endpoints: { blob, blobGlobal } }) =>
      [blob, blobGlobal].flatMap((endpoint) => {
        const host = /^https?:\/\/([^/?:]+)/.exec(endpoint)?.[1]?.toLowerCase() ?? '';
        return host.includes('{account}') ? [host] : [];
      }),
    ),
  );
  const patterns = [...hosts].map((host) => {
    const [before = '', after = ''] = host.split('{account}').map((part) => part.replaceAll('.', '\\.'));
    return new RegExp(`^${before}(${accountLabel})${after}$`);
  });
  return (host) => {
    for (const pattern of patterns) {
      const account = pattern.exec(host)?.[1];
      if (account !== undefined) return account;
    }
    return null;
  };
}

/** A host with its port, in lower case, without the ports that addresses leave out. */
export function bareHost(host: string): string {
  return host.toLowerCase().replace(/:(?:80|443)$/, '');
}

/** The hosts, with their ports, of the endpoints of the regions that have the account in their paths. */
export function hostsOfAccounts(regions: readonly Region[]): ReadonlySet<string> {
  const endpoints = regions.flatMap(({ endpoints: { blob, blobGlobal } }) => [blob, blobGlobal]);
  const hosts = endpoints.map((endpoint) => /^https?:\/\/([^/?]+)\/\{account\}/.exec(endpoint)?.[1] ?? '');
  return new Set(hosts.filter((host) => host !== '').map(bareHost));
}

const absoluteTarget = /^https?:\/\/([^/?#]*)(.*)$/is;

/**
 * Reads where a request goes: `/{account}/{container}/{blob}`, or `/{container}/{blob}` where the host has the account.
 * Nothing of a path is resolved: `.`, `..` and `//` stay.
 * @throws Fault `RequestUrlFailedToParse`, `InvalidUri`
 */
export function readAddress(
  { url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>,
  accountOfHost: AccountOfHost,
): BlobAddress {
  const [, authority = headers.host ?? '', rest = url] = absoluteTarget.exec(url) ?? [];
  const target = rest.startsWith('/') ? rest : `/${rest}`;
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = new Query(mark < 0 ? '' : target.slice(mark + 1));
  const host = authority
    .toLowerCase()
    .replace(/:\d{0,5}$/, '')
    .replace(/\.$/, '');
  const ofHost = accountOfHost(host);
  const [account, inAccount] = ofHost === null ? split(path.slice(1)) : [ofHost, path.slice(1)];
  if (account === '') throw new Fault('InvalidUri', { message: 'The address names no account.' });
  const [container, blob] = split(inAccount ?? '');
  return {
    account: decoded(account),
    container: container === '' ? null : decoded(container),
    blob: blob === null || blob === '' ? null : decoded(blob),
    path,
    query,
  };
}

/** The first segment of a path, and what follows it; null without a slash. */
function split(path: string): [first: string, rest: string | null] {
  const slash = path.indexOf('/');
  return slash < 0 ? [path, null] : [path.slice(0, slash), path.slice(slash + 1)];
}
