import type { StoredFile } from '../../../adapters/objects/port.ts';
import { systemScope } from '../../../models/scope.ts';
import { releasedContents } from '../../../models/storage-object.ts';
import type { Storage } from '../tools.ts';
import { mayHaveObject } from '../uploads/fence.ts';
import { allUploads, receivedParts } from '../uploads/tools.ts';
import { allObjects } from './tools.ts';

/**
 * Age from which a file that no record names is removed, in milliseconds: whoever wrote it has named it by then, or is
 * gone.
 */
const minAgeMs = 24 * 3_600_000;

/**
 * Removes files that no record names: what a crash left between the write of a file and that of its record, and parts
 * that were sent again. A content of an object, of an open upload, or of one that is released, stays.
 * @returns how many files were found
 */
export async function sweepContents(storage: Storage): Promise<number> {
  const { app } = storage;
  let found = 0;
  for await (const files of app.objects.list()) {
    const before = app.runtime.now() - minAgeMs;
    const old = files.filter(({ writtenAt }) => writtenAt <= before);
    const [first] = old;
    if (first === undefined) continue;
    const unnamed = await unnamedOf(storage, first.content, old);
    if (unnamed === 'all') {
      // Something is still being written to a content with a young file.
      if (old.length < files.length || !(await app.objects.remove(first.content))) continue;
      found += files.length;
    } else {
      for (const part of unnamed) await app.objects.removePart(first.content, part);
      found += unnamed.length;
    }
  }
  if (found > 0) app.log.info({ files: found }, 'files of objects that no record names were removed');
  return found;
}

/** The parts of a content that no record names; `all` if none names the content. */
async function unnamedOf({ app }: Storage, content: string, files: readonly StoredFile[]): Promise<string[] | 'all'> {
  const without = (named: ReadonlySet<string>): string[] =>
    files.flatMap(({ part }) => (part === null || named.has(part) ? [] : [part]));
  // First the upload: a content goes from there to an object, never back.
  const [upload] = await allUploads(app).find({ filter: { contentId: content }, limit: 1 });
  const [object] = await allObjects(app).find({ filter: { contentId: content }, limit: 1 });
  if (object !== undefined) return without(new Set(await app.objects.partsOf(object.content)));
  if ((await app.records.collection(releasedContents, systemScope).get(content)) !== null) return [];
  if (upload?.state !== 'open') return 'all';
  // An object that a completion is about to write, or may have been, names parts that were replaced since.
  if (mayHaveObject(upload)) return [];
  const named = new Set((await receivedParts(app, upload)).map(({ name }) => name));
  // A request that began to complete it may have read other names than these.
  const now = await allUploads(app).get(upload._id);
  return now?.state === 'open' && now.token === upload.token ? without(named) : [];
}
