import type { Passages } from '../../adapters/passages/port.ts';
import { isYounger } from '../../models/age.ts';
import type { OrganizationScope } from '../../models/scope.ts';

/** How long an organization's languages are believed, in milliseconds: as long as a new language may take to be understood. */
const believedFor = 1000;
/** Organizations remembered at most. */
const remembered = 1000;

/**
 * The languages of an organization's passages, remembered for a second so that searches in a row do not ask again.
 * An organization without any is asked every time: its first file is found at once.
 */
export function languagesOf(passages: Pick<Passages, 'languages'>, now: () => number): (scope: OrganizationScope) => Promise<readonly string[]> {
  const known = new Map<string, { languages: readonly string[]; at: number }>();
  return async (scope) => {
    const entry = known.get(scope.organizationId);
    if (entry !== undefined && isYounger(entry.at, now(), believedFor)) return entry.languages;
    const languages = await passages.languages(scope);
    known.delete(scope.organizationId);
    if (languages.length > 0) {
      for (const oldest of known.keys()) {
        if (known.size < remembered) break;
        known.delete(oldest);
      }
      known.set(scope.organizationId, { languages, at: now() });
    }
    return languages;
  };
}
