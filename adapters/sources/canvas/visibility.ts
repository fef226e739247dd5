import { idOf, optionalId, timeOf, type Fields } from './fields.ts';

/**
 * Whether a file or folder is for teachers and designers alone now: hidden, locked, before `unlock_at`, or from `lock_at`
 * on. A time that cannot be read keeps it to them.
 */
export function isKeptBack(item: Fields, now: number): boolean {
  const opens = timeOf(item['unlock_at']);
  const closes = timeOf(item['lock_at']);
  if (Number.isNaN(opens) || Number.isNaN(closes)) return true;
  const isClosed = (opens !== null && now < opens) || (closes !== null && now >= closes);
  return isClosed || ['hidden', 'locked', 'hidden_for_user', 'locked_for_user'].some((name) => item[name] === true);
}

/** The folders of a course, as far as they keep files back. */
export class Folders {
  private readonly known = new Map<string, { parent: string | null; isKeptBack: boolean }>();
  private readonly now: number;

  constructor(now: number) {
    this.now = now;
  }

  /** Takes folders in. @throws SourceError `refused` for one without a usable id */
  add(items: readonly Fields[]): void {
    for (const item of items) this.known.set(idOf(item['id']), { parent: optionalId(item['parent_folder_id']), isKeptBack: isKeptBack(item, this.now) });
  }

  /** Whether the folder or one above it is kept back, or is none that Canvas lists. */
  keepBack(id: string | null): boolean {
    // Each folder is looked at once, whatever circle their parents may make.
    const passed = new Set<string>();
    for (let at = id; at !== null && !passed.has(at); ) {
      passed.add(at);
      const folder = this.known.get(at);
      if (folder === undefined || folder.isKeptBack) return true;
      at = folder.parent;
    }
    return false;
  }
}
