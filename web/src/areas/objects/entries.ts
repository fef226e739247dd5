import type { components } from '../../api/schema.d.ts';

/** A stored file. */
export type StoredObject = components['schemas']['StoredObject'];

/** What a folder of a bucket shows: a folder in it, which is a prefix that keys share up to a slash, or a file. */
export type Entry =
  | { kind: 'folder'; name: string; prefix: string; count: number; bytes: number }
  | { kind: 'object'; name: string; object: StoredObject };

/**
 * The entries directly under a folder.
 * @param objects those whose key begins with `folder`, in the order of the listing (bytes of the key), in which the
 *   files of a folder stand together
 * @param folder empty, or ending in a slash
 */
export function entriesUnder(objects: readonly StoredObject[], folder: string): Entry[] {
  const entries: Entry[] = [];
  for (const object of objects) {
    const rest = object.key.slice(folder.length);
    const slash = rest.indexOf('/');
    if (slash < 0) {
      entries.push({ kind: 'object', name: rest, object });
      continue;
    }
    const name = rest.slice(0, slash);
    const last = entries.at(-1);
    if (last?.kind === 'folder' && last.name === name) {
      last.count += 1;
      last.bytes += object.size;
    } else entries.push({ kind: 'folder', name, prefix: `${folder}${name}/`, count: 1, bytes: object.size });
  }
  return entries;
}

/** The folders on the way to a folder, each with its prefix. */
export function pathTo(folder: string): { name: string; prefix: string }[] {
  const names = folder.split('/').slice(0, -1);
  return names.map((name, index) => ({ name, prefix: `${names.slice(0, index + 1).join('/')}/` }));
}
