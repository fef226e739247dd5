import { compareBytes } from '../entries.ts';
import { SourceError } from '../port.ts';

/** A file, by its whole name. */
interface Named {
  name: string;
}

/** A page of what lies directly in a folder. */
export interface FolderPage<B extends Named> {
  blobs: B[];
  /** Folders in it, as names that end with a slash. */
  folders: string[];
  /** Azure's mark of the next page; null after the last. */
  marker: string | null;
}

/** Lists a page of a folder. @param folder empty, or ends with a slash; a prefix may also end in the middle of a name */
export type ListFolder<B extends Named> = (folder: string, marker: string | null) => Promise<FolderPage<B>>;

/** Pages without a name that are followed in a row, as in a plain list. */
const mostEmptyPages = 1000;

/**
 * Walks through the files of a container folder by folder, in the order of their names' bytes. A folder comes where its name with
 * the slash belongs (`a-b` before `a/z`), whichever of both Azure lists first: it is put back until no name before it can follow.
 * So of each folder on the way a page is held, and the folders that are put back, whose names begin alike.
 * @param after the name after which it begins; null for the first
 * @throws SourceError `refused` where the folder lists names that are not in it, or come after what is past
 */
export async function* walkFolders<B extends Named>(listFolder: ListFolder<B>, prefix: string, after: string | null): AsyncGenerator<B, void, undefined> {
  // Folders that are put back, in order; all of them come after what was handed out.
  const waiting: string[] = [];
  let last = after;
  let empty = 0;
  for (let marker: string | null = null; ; ) {
    const page: FolderPage<B> = await listFolder(prefix, marker);
    for (const item of inOrder(page)) {
      const name = typeof item === 'string' ? item : item.name;
      if (name === prefix) continue; // The mark of the folder itself.
      if (!isBelow(prefix, name)) throw new SourceError('refused', 'the container lists names that were not asked for');
      // A name without its slash is never after a name that is still to come.
      const reached = typeof item === 'string' ? name.slice(0, -1) : name;
      for (let folder = waiting[0]; folder !== undefined && compareBytes(folder, reached) < 0; folder = waiting[0]) {
        waiting.shift();
        yield* walkFolders(listFolder, folder, within(folder, last));
        last = endOf(folder);
      }
      if (typeof item === 'string') {
        if (after !== null && compareBytes(endOf(name), after) <= 0) continue;
        if ((last !== null && compareBytes(endOf(name), last) <= 0) || waiting.includes(name)) throw outOfOrder();
        insert(waiting, name);
      } else {
        if (after !== null && compareBytes(name, after) <= 0) continue;
        if (last !== null && compareBytes(name, last) <= 0) throw outOfOrder();
        last = name;
        yield item;
      }
    }
    empty = page.blobs.length + page.folders.length === 0 ? empty + 1 : 0;
    if (page.marker === null) break;
    if (page.marker === marker || empty > mostEmptyPages) throw new SourceError('refused', 'the container says again and again that more follows, and sends nothing');
    marker = page.marker;
  }
  for (const folder of waiting) {
    yield* walkFolders(listFolder, folder, within(folder, last));
    last = endOf(folder);
  }
}

/** Files and folders of a page, by their names without the slash. */
function inOrder<B extends Named>({ blobs, folders }: FolderPage<B>): (B | string)[] {
  const plain = (item: B | string): string => (typeof item === 'string' ? item.slice(0, -1) : item.name);
  return [...blobs, ...folders].sort((a, b) => compareBytes(plain(a), plain(b)));
}

/** Whether a name lies directly below a prefix: a file without a slash after it, a folder with the one at its end. */
function isBelow(prefix: string, name: unknown): boolean {
  if (typeof name !== 'string' || !name.startsWith(prefix) || name.length <= prefix.length || name.length > 2048) return false;
  const slash = name.indexOf('/', prefix.length);
  return slash === -1 || slash === name.length - 1;
}

/** What comes after every name in a folder, and before what follows the folder. */
function endOf(folder: string): string {
  return `${folder}\u{10ffff}`;
}

/** Where in a folder it goes on, where that is in the middle of it. */
function within(folder: string, after: string | null): string | null {
  return after !== null && after.startsWith(folder) ? after : null;
}

function insert(waiting: string[], folder: string): void {
  const at = waiting.findIndex((other) => compareBytes(folder, other) < 0);
  if (at === -1) waiting.push(folder);
  else waiting.splice(at, 0, folder);
}

function outOfOrder(): SourceError {
  return new SourceError('refused', 'the container lists names that come before others which it has listed already');
}
