/**
 * Whether a host matches one of the patterns. `*.example.com` matches every name below `example.com` at any depth, but
 * not `example.com` itself. Case and a trailing dot are ignored. An empty list matches nothing.
 */
export function hostMatches(host: string, patterns: readonly string[]): boolean {
  const name = plain(host);
  return patterns.some((pattern) => {
    const wanted = plain(pattern);
    return wanted.startsWith('*.')
      ? name.endsWith(wanted.slice(1)) && name.length > wanted.length - 1
      : name === wanted;
  });
}

function plain(host: string): string {
  const lower = host.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/** Whether the deployment may read from a host. An empty ceiling allows all. */
export function isWithinCeiling(host: string, ceiling: readonly string[]): boolean {
  return ceiling.length === 0 || hostMatches(host, ceiling);
}

/** Whether every host that a pattern in the settings matches is within the ceiling. */
export function isPatternWithinCeiling(pattern: string, ceiling: readonly string[]): boolean {
  if (ceiling.length === 0) return true;
  // One name below the pattern's domain represents all of them.
  return pattern.startsWith('*.')
    ? hostMatches(
        `any.${pattern.slice(2)}`,
        ceiling.filter((each) => each.startsWith('*.')),
      )
    : hostMatches(pattern, ceiling);
}

/**
 * The allowed hosts: those within both the deployment's ceiling and the organization's list. An empty list allows all.
 */
export interface HostRules {
  ceiling: readonly string[];
  sourceHosts: readonly string[];
}

/** The list that forbids reading from a host: the ceiling or the organization's own; null if it is allowed. */
export function hostRefusal(host: string, { ceiling, sourceHosts }: HostRules): 'ceiling' | 'organization' | null {
  if (!isWithinCeiling(host, ceiling)) return 'ceiling';
  return sourceHosts.length === 0 || hostMatches(host, sourceHosts) ? null : 'organization';
}
