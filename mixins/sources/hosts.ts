/**
 * Whether a host is on a list of names, of which `*.example.com` stands for every name below `example.com` at any
 * depth and not for `example.com` itself. Letter case and a final dot make no difference. An empty list holds nothing.
 */
export function hostMatches(host: string, patterns: readonly string[]): boolean {
  const name = plain(host);
  return patterns.some((pattern) => {
    const wanted = plain(pattern);
    return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) && name.length > wanted.length - 1 : name === wanted;
  });
}

function plain(host: string): string {
  const lower = host.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/** Whether the deployment may read from a host: a ceiling without hosts is unbounded. */
export function isWithinCeiling(host: string, ceiling: readonly string[]): boolean {
  return ceiling.length === 0 || hostMatches(host, ceiling);
}

/** Whether every host that a pattern stands for is within the ceiling: for lists of hosts in settings. */
export function isPatternWithinCeiling(pattern: string, ceiling: readonly string[]): boolean {
  if (ceiling.length === 0) return true;
  // Any name below the pattern's domain stands for all of them.
  return pattern.startsWith('*.') ? hostMatches(`any.${pattern.slice(2)}`, ceiling.filter((each) => each.startsWith('*.'))) : hostMatches(pattern, ceiling);
}

/** Which hosts may be read from: those within the deployment's ceiling that are also among the organization's; an empty list allows all. */
export interface HostRules {
  ceiling: readonly string[];
  sourceHosts: readonly string[];
}

/** Why a host may not be read from: the ceiling, or the organization's own list; null where it may. */
export function faultOfHost(host: string, { ceiling, sourceHosts }: HostRules): 'ceiling' | 'organization' | null {
  if (!isWithinCeiling(host, ceiling)) return 'ceiling';
  return sourceHosts.length === 0 || hostMatches(host, sourceHosts) ? null : 'organization';
}
