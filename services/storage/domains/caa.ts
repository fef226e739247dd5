import type { Evidence } from './decide.ts';
import type { CaaProperty, Dns } from './dns.ts';

/** Tags whose meaning is known (RFC 8659, 4; RFC 9495): a critical property of another tag forbids every certificate. */
const knownTags = new Set(['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc', 'contactemail', 'contactphone']);

/**
 * Whether CAA records let an authority issue a certificate for a hostname: those of the hostname, else of the nearest
 * domain above it that has any (RFC 8659, 3).
 * @param issuers the authority's names in CAA records; none: only the authority itself can tell
 */
export async function caaOf(dns: Dns, hostname: string, issuers: readonly string[]): Promise<Evidence['caa']> {
  const [issuer] = issuers;
  if (issuer === undefined) return 'allowed';
  for (let name = hostname; name !== ''; name = name.includes('.') ? name.slice(name.indexOf('.') + 1) : '') {
    const records = await dns.caa(name);
    if (records === null) return 'unknown';
    if (records.length > 0) return allow(records, issuers) ? 'allowed' : { name, value: `0 issue "${issuer}"` };
  }
  return 'allowed';
}

function allow(records: readonly CaaProperty[], issuers: readonly string[]): boolean {
  if (records.some(({ tag, isCritical }) => isCritical && !knownTags.has(tag))) return false;
  const issue = records.filter(({ tag }) => tag === 'issue');
  return issue.length === 0 || issue.some(({ value }) => names(value, issuers));
}

/** Whether an `issue` value names one of the issuers, and allows the proof by http-01 (RFC 8657, 4). */
function names(value: string, issuers: readonly string[]): boolean {
  const [domain = '', ...parameters] = value.split(';').map((part) => part.trim().toLowerCase());
  if (!issuers.includes(domain)) return false;
  const methods = parameters.find((parameter) => /^validationmethods\s*=/.test(parameter));
  return (
    methods === undefined ||
    methods
      .slice(methods.indexOf('=') + 1)
      .split(',')
      .some((method) => method.trim() === 'http-01')
  );
}
