import type { DomainChecks } from '../../../models/domain.ts';
import type { Dns } from './dns.ts';

/** What a look at the DNS of a hostname found. */
export interface Found extends Pick<DomainChecks, 'ownership' | 'routing'> {
  /** Null where it could not be seen. */
  apex: boolean | null;
}

/** What the DNS of a hostname must have. */
export interface Wanted {
  hostname: string;
  /** The record that proves who has it. */
  ownership: { name: string; value: string };
  /** The name that it must lead to. */
  target: string;
}

/** Longest chain of aliases that is followed. */
const maxAliases = 10;

/** Looks at the DNS of a hostname. It never throws: what cannot be seen is unknown. */
export async function look(dns: Dns, { hostname, ownership, target }: Wanted): Promise<Found> {
  const [texts, isApex, chain] = await Promise.all([
    dns.texts(ownership.name),
    dns.isApex(hostname),
    follow(dns, hostname, target),
  ]);
  return {
    ownership: texts === null ? 'unknown' : texts.includes(ownership.value) ? 'found' : 'missing',
    routing: await routing(dns, chain, target),
    // The apex of a zone has no alias (RFC 1034, 3.6.2).
    apex: chain.aliases > 0 ? false : isApex,
  };
}

/** Where the aliases of a hostname lead. */
interface Chain {
  /** The last name; the target ends the chain. */
  end: string;
  aliases: number;
  isUnknown: boolean;
}

async function follow(dns: Dns, hostname: string, target: string): Promise<Chain> {
  const seen = new Set([hostname]);
  for (let end = hostname; ;) {
    const aliases = seen.size - 1;
    if (end === target) return { end, aliases, isUnknown: false };
    const found = await dns.aliases(end);
    if (found === null) return { end, aliases, isUnknown: true };
    const [next] = found;
    if (next === undefined || seen.has(next) || seen.size > maxAliases) return { end, aliases, isUnknown: false };
    seen.add(next);
    end = next;
  }
}

/** A hostname without an alias to the target may have its addresses: an apex cannot have an alias. */
async function routing(dns: Dns, { end, aliases, isUnknown }: Chain, target: string): Promise<DomainChecks['routing']> {
  if (end === target) return 'found';
  if (isUnknown) return 'unknown';
  const [own, wanted] = await Promise.all([dns.addresses(end), dns.addresses(target)]);
  if (own === null) return 'unknown';
  if (own.length === 0) return aliases > 0 ? 'elsewhere' : 'missing';
  if (wanted === null) return 'unknown';
  return own.some((address) => wanted.includes(address)) ? 'found' : 'elsewhere';
}
