import { createHash } from 'node:crypto';
import type { ContentReference, Objects, StoredPart } from '../../adapters/objects/port.ts';
import type { AppContext } from '../app-context.ts';

/** The parts of the app that storing bytes needs. */
export type WriteContext = Pick<AppContext, 'runtime' | 'log'> & { objects: Objects };

/** Stores bytes as a part of a content as they arrive: all of them, or none. @returns the part, and its MD5 in hex */
export async function storePart(
  { objects, runtime }: WriteContext,
  contentId: string,
  { number, bytes }: { number: number; bytes: number },
  body: AsyncIterable<Uint8Array>,
): Promise<StoredPart & { md5: string }> {
  const hash = createHash('md5');
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const piece of body) {
      hash.update(piece);
      yield piece;
    }
  }
  const part = { name: `${number}-${runtime.uuid()}`, bytes };
  await objects.writePart(contentId, part, hashed());
  return { ...part, md5: hash.digest('hex') };
}

/**
 * Stores the bytes of a new object. It names a content that no record knows yet: hand it to `storage.storeObject`, or to
 * `discardContent` where that is refused.
 * @param body its last piece may throw, for example where a checksum differs: nothing is stored then
 */
export async function storeContent(
  app: WriteContext,
  bytes: number,
  body: AsyncIterable<Uint8Array>,
): Promise<{ content: ContentReference; md5: string }> {
  const contentId = app.runtime.uuid();
  const { md5, ...part } = await storePart(app, contentId, { number: 1, bytes }, body);
  return { content: await app.objects.join(contentId, [part]), md5 };
}

/** Removes a content that is certain to belong to no object. What fails is found by the search for unnamed files. */
export function discardContent({ objects, log }: WriteContext, contentId: string): void {
  objects
    .remove(contentId)
    .catch((error: unknown) => log.debug({ err: error, contentId }, 'an unused content was not removed'));
}
