import { compareBytes } from '../entries.ts';
import { SourceError } from '../port.ts';

/** A file with its full name. */
interface Named {
  name: string;
}

/** A page of the files and folders directly in a folder. */
export interface FolderPage<B extends Named> {
  blobs: B[];
  /** Full names of folders, with a trailing slash. */
  folders: string[];
  /** Azure's continuation marker of the next page; null after the last. */
  marker: string | null;
}

/** Lists a page of a folder. @param folder empty, a name with a trailing slash, or a prefix that ends within a name */
export type ListFolder<B extends Named> = (folder: string, marker: string | null) => Promise<FolderPage<B>>;

/** Maximum number of consecutive empty pages, as in a flat list. */
const maxEmptyPages = 1000;

/**
 * Lists the files of a container folder by folder, in the order of their names' bytes. A folder is sorted by its name
 * with the slash (`a-b` before `a/z`), whichever Azure lists first: it is deferred until no earlier name can follow. In
 * memory are one page of each folder on the path, and the deferred folders.
 * @param after the name to start after; null to start with the first
 * @throws SourceError `refused` if a folder lists names outside it, or names out of order
 */
export async function* walkFolders<B extends Named>(
  listFolder: ListFolder<B>,
  prefix: string,
  after: string | null,
): AsyncGenerator<B, void, undefined> {
  // Deferred folders in order; all of them sort after the names yielded so far.
  const deferred: string[] = [];
  let last = after;
  let empty = 0;
  for (let marker: string | null = null; ;) {
    const page: FolderPage<B> = await listFolder(prefix, marker);
    for (const item of inOrder(page)) {
      const name = typeof item === 'string' ? item : item.name;
      if (name === prefix) continue; // The placeholder blob of the folder itself.
      if (!isBelow(prefix, name)) throw new SourceError('refused', 'the container lists names that were not requested');
      // All following names sort after this name without its slash.
      const reached = typeof item === 'string' ? name.slice(0, -1) : name;
      for (let folder = deferred[0]; folder !== undefined && compareBytes(folder, reached) < 0; folder = deferred[0]) {
        deferred.shift();
        yield* walkFolders(listFolder, folder, within(folder, last));
        last = endOf(folder);
      }
      if (typeof item === 'string') {
        if (after !== null && compareBytes(endOf(name), after) <= 0) continue;
        if ((last !== null && compareBytes(endOf(name), last) <= 0) || deferred.includes(name)) throw outOfOrder();
        insert(deferred, name);
      } else {
        if (after !== null && compareBytes(name, after) <= 0) continue;
        if (last !== null && compareBytes(name, last) <= 0) throw outOfOrder();
        last = name;
        yield item;
      }
    }
    empty = page.blobs.length + page.folders.length === 0 ? empty + 1 : 0;
    if (page.marker === null) break;
    if (page.marker === marker || empty > maxEmptyPages)
      throw new SourceError('refused', 'the container keeps announcing further names without sending any');
    marker = page.marker;
  }
  for (const folder of deferred) {
    yield* walkFolders(listFolder, folder, within(folder, last));
    last = endOf(folder);
  }
}

/** Files and folders of a page, sorted by their names without the slash. */
function inOrder<B extends Named>({ blobs, folders }: FolderPage<B>): (B | string)[] {
  const plain = (item: B | string): string => (typeof item === 'string' ? item.slice(0, -1) : item.name);
  return [...blobs, ...folders].sort((a, b) => compareBytes(plain(a), plain(b)));
}

/**
 * Whether a name is directly below a prefix: a file without a further slash, or a folder with only the trailing one.
 */
function isBelow(prefix: string, name: unknown): boolean {
  if (typeof name !== 'string' || !name.startsWith(prefix) || name.length <= prefix.length || name.length > 2048)
    return false;
  const slash = name.indexOf('/', prefix.length);
  return slash === -1 || slash === name.length - 1;
}

/** A text that sorts after every name in a folder, and before every name after the folder. */
function endOf(folder: string): string {
  return `${folder}\u{10ffff}`;
}

/** The position within a folder to continue after; null to start with its first name. */
function within(folder: string, after: string | null): string | null {
  return after !== null && after.startsWith(folder) ? after : null;
}

function insert(deferred: string[], folder: string): void {
  const at = deferred.findIndex((other) => compareBytes(folder, other) < 0);
  if (at === -1) deferred.push(folder);
  else deferred.splice(at, 0, folder);
}

function outOfOrder(): SourceError {
  return new SourceError('refused', 'the container lists names out of order');
}
