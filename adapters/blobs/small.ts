import { isUtf8 } from 'node:buffer';
import { systemScope } from '../../models/scope.ts';
import { smallBlobs, type SmallBlob } from '../../models/small-blob.ts';
import type { Collection, Filter, Records } from '../records/port.ts';
import { checkKey, checkPrefix, pieces } from './keys.ts';
import type { Blobs } from './port.ts';

/** Maximum size in bytes of a text in the records. */
const maxBytes = 32 * 1024;
/** Documents listed or removed by one request. */
const atOnce = 100;

/** Decodes UTF-8; null if the bytes are no valid text. */
function textOf(bytes: Buffer): string | null {
  return isUtf8(bytes) ? bytes.toString('utf8') : null;
}

async function* chain(
  head: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** Keys with a prefix: all characters of keys sort before the one that ends the range. */
function beginningWith(prefix: string, after = prefix): Filter {
  return { _id: { ...(after === prefix ? { $gte: prefix } : { $gt: after }), $lt: `${prefix}~` } };
}

/**
 * Blobs whose small texts are stored in the records, which flush many of them to disk together: a file with new folders
 * takes several flushes of its own. Only this process may use the two stores. If a blob is in both, the records have
 * the newer one.
 */
export function withSmallBlobs(files: Blobs, records: Records): Blobs {
  const texts: Collection<SmallBlob> = records.collection(smallBlobs, systemScope);

  async function* textsUnder(prefix: string): AsyncGenerator<{ key: string; bytes: number }, void, undefined> {
    for (let after = prefix; ;) {
      const page = await texts.find({ filter: beginningWith(prefix, after), sort: [['_id', 1]], limit: atOnce });
      for (const { _id: key, text } of page) yield { key, bytes: Buffer.byteLength(text) };
      const last = page.at(-1);
      if (last === undefined || page.length < atOnce) return;
      after = last._id;
    }
  }

  return {
    ...files,
    async write(key, body) {
      checkKey(key);
      const source = pieces(body)[Symbol.asyncIterator]();
      const head: Uint8Array[] = [];
      let bytes = 0;
      let whole = false;
      while (bytes <= maxBytes && !whole) {
        const next = await source.next();
        whole = next.done === true;
        if (next.done === true) break;
        head.push(next.value);
        bytes += next.value.byteLength;
      }
      const text = whole ? textOf(Buffer.concat(head)) : null;
      if (text !== null) {
        await texts.put({ _id: key, text });
        return bytes;
      }
      const written = await files.write(key, chain(head, source));
      if ((await texts.get(key)) !== null) await texts.remove(key);
      return written;
    },
    async *read(key) {
      const small = await texts.get(checkKey(key));
      if (small === null) yield* files.read(key);
      else if (small.text !== '') yield Buffer.from(small.text);
    },
    async exists(key) {
      return (await texts.get(checkKey(key))) !== null || files.exists(key);
    },
    async remove(prefixOrKey) {
      checkPrefix(prefixOrKey);
      if (prefixOrKey === '') throw new Error('refuses to remove all blobs');
      if (prefixOrKey.endsWith('/')) while ((await texts.removeMany(beginningWith(prefixOrKey), atOnce)) === atOnce);
      else await texts.remove(prefixOrKey);
      await files.remove(prefixOrKey);
    },
    async *list(prefix) {
      checkPrefix(prefix);
      const small = textsUnder(prefix);
      const large = files.list(prefix)[Symbol.asyncIterator]();
      let [one, other] = [await small.next(), await large.next()];
      // Both are sorted by name; of a name in both, the records have the newer blob.
      while (one.done !== true || other.done !== true) {
        if (other.done === true || (one.done !== true && one.value.key <= other.value.key)) {
          if (one.done === true) return;
          yield one.value;
          if (other.done !== true && other.value.key === one.value.key) other = await large.next();
          one = await small.next();
        } else {
          yield other.value;
          other = await large.next();
        }
      }
    },
  };
}
