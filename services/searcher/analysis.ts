import type { Passages } from '../../adapters/passages/port.ts';
import { isYounger } from '../../models/age.ts';
import type { OrganizationScope } from '../../models/scope.ts';

/**
 * How long an organization's languages are believed, in milliseconds: as long as a new language may take to be understood
 * where the event that tells of it was lost.
 */
const believedFor = 1000;
/** Organizations remembered at most. */
const remembered = 1000;

/**
 * The languages of an organization's passages, remembered for a second so that searches in a row do not ask again.
 * An organization without any is asked every time: its first file is found at once.
 */
export class Languages {
  private readonly passages: Pick<Passages, 'languages'>;
  private readonly now: () => number;
  private readonly known = new Map<string, { languages: readonly string[]; at: number }>();
  /** How often something was forgotten: what was asked for before is not remembered. */
  private forgotten = 0;

  constructor(passages: Pick<Passages, 'languages'>, now: () => number) {
    this.passages = passages;
    this.now = now;
  }

  async of(scope: OrganizationScope): Promise<readonly string[]> {
    const { known, now } = this;
    const entry = known.get(scope.organizationId);
    if (entry !== undefined && isYounger(entry.at, now(), believedFor)) return entry.languages;
    const before = this.forgotten;
    const languages = await this.passages.languages(scope);
    known.delete(scope.organizationId);
    if (languages.length > 0 && this.forgotten === before) {
      for (const oldest of known.keys()) {
        if (known.size < remembered) break;
        known.delete(oldest);
      }
      known.set(scope.organizationId, { languages, at: now() });
    }
    return languages;
  }

  /** The organization may have got a language that it did not have. */
  forget(organizationId: string): void {
    this.forgotten += 1;
    this.known.delete(organizationId);
  }
}
