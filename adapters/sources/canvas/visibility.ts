import { idOf, optionalId, timeOf, type Fields } from './fields.ts';

/**
 * Whether only teachers and designers may see a file or folder now: it is hidden, locked, before `unlock_at`, or at or
 * after `lock_at`. So it is with an invalid time.
 */
export function isStaffOnly(item: Fields, now: number): boolean {
  const opens = timeOf(item['unlock_at']);
  const closes = timeOf(item['lock_at']);
  if (Number.isNaN(opens) || Number.isNaN(closes)) return true;
  const isClosed = (opens !== null && now < opens) || (closes !== null && now >= closes);
  return isClosed || ['hidden', 'locked', 'hidden_for_user', 'locked_for_user'].some((name) => item[name] === true);
}

/** The folders of a course that hide their files. */
export class Folders {
  private readonly known = new Map<string, { parent: string | null; isKeptBack: boolean }>();
  private readonly now: number;

  constructor(now: number) {
    this.now = now;
  }

  /** Adds folders. @throws SourceError `refused` for one without a usable id */
  add(items: readonly Fields[]): void {
    for (const item of items)
      this.known.set(idOf(item['id']), {
        parent: optionalId(item['parent_folder_id']),
        isKeptBack: isStaffOnly(item, this.now),
      });
  }

  /** Whether the folder or a parent is hidden, or is not listed by Canvas. */
  keepBack(id: string | null): boolean {
    // Each folder is visited once, even if the parents form a cycle.
    const passed = new Set<string>();
    for (let at = id; at !== null && !passed.has(at);) {
      passed.add(at);
      const folder = this.known.get(at);
      if (folder === undefined || folder.isKeptBack) return true;
      at = folder.parent;
    }
    return false;
  }
}
