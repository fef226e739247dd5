import { Resolver } from 'node:dns/promises';
import type { Configuration } from '../../../models/configuration/configuration.ts';
import { errorCodeOf } from '../../../models/error-code.ts';

/**
 * The records of one type at a name: none where the DNS says so, and null where it cannot be said: no server answers, or
 * none gives a usable answer.
 */
export type Records<T> = readonly T[] | null;

/** A property of a CAA record (RFC 8659, 4.1) in lower case, and its value. */
export interface CaaProperty {
  tag: string;
  value: string;
  isCritical: boolean;
}

/** Looks records up in the DNS. Names are in lower case and have no dot at their end. */
export interface Dns {
  /** Each text is one record, with its strings joined. */
  texts(name: string): Promise<Records<string>>;
  aliases(name: string): Promise<Records<string>>;
  /** IPv4 and IPv6 addresses. */
  addresses(name: string): Promise<Records<string>>;
  /** Whether the name is the apex of a zone: it has an SOA record. */
  isApex(name: string): Promise<boolean | null>;
  caa(name: string): Promise<Records<CaaProperty>>;
}

/** Milliseconds that a server has for its first answer; tries of it. */
const timeoutMs = 2000;
const tries = 2;
/** Milliseconds after which a question is given up, whatever the number of servers. */
const deadlineMs = 10_000;
/** Answers that say that there is no such record: NODATA and NXDOMAIN. */
const absent: ReadonlySet<unknown> = new Set(['ENODATA', 'ENOTFOUND']);

/** A name as DNS compares it: in lower case, without a dot at its end. */
const normal = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** Looks up with the configured servers, or the system's. A new one for each look keeps no answers of earlier ones. */
export function openDns({ PLY_DNS_SERVERS: servers }: Pick<Configuration, 'PLY_DNS_SERVERS'>): Dns {
  const ask = async <T>(question: (resolver: Resolver) => Promise<readonly T[]>): Promise<Records<T>> => {
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (servers.length > 0) resolver.setServers(servers);
    const deadline = setTimeout(() => resolver.cancel(), deadlineMs);
    try {
      return await question(resolver);
    } catch (error) {
      return absent.has(errorCodeOf(error)) ? [] : null;
    } finally {
      clearTimeout(deadline);
    }
  };
  return {
    texts: async (name) => {
      const records = await ask((resolver) => resolver.resolveTxt(name));
      return records?.map((strings) => strings.join('')) ?? null;
    },
    aliases: async (name) => (await ask((resolver) => resolver.resolveCname(name)))?.map(normal) ?? null,
    addresses: async (name) => {
      const [v4, v6] = await Promise.all([
        ask((resolver) => resolver.resolve4(name)),
        ask((resolver) => resolver.resolve6(name)),
      ]);
      const found = [...(v4 ?? []), ...(v6 ?? [])];
      return found.length === 0 && (v4 === null || v6 === null) ? null : found;
    },
    isApex: async (name) => {
      const records = await ask(async (resolver) => [await resolver.resolveSoa(name)]);
      return records === null ? null : records.length > 0;
    },
    caa: async (name) => {
      const records = await ask((resolver) => resolver.resolveCaa(name));
      return (
        records?.flatMap(({ critical, ...properties }) =>
          Object.entries(properties).flatMap(([tag, value]) =>
            typeof value === 'string' && tag !== 'type'
              ? [{ tag: tag.toLowerCase(), value, isCritical: critical > 0 }]
              : [],
          ),
        ) ?? null
      );
    },
  };
}
