import type { AssetCreate } from '../api.ts';
import type { Kind } from '../asset.ts';
import { invalid } from '../errors.ts';
import { capabilities, isIndexed } from '../formats.ts';
import type { JsonObject } from '../json.ts';
import { assetMetadata } from './metadata.ts';
import { filled, isObject, list, named, nullable, object, required, within, type Schema } from './schema.ts';
import { flag, mapped, text, whole, word } from './values.ts';

/** The kinds of files. */
export const kind: Schema<Kind> = named('Kind', word('video', 'audio', 'document'));

/** A principal: an opaque text. */
export const principal = text(1, 512);

/** Principals as they are granted or sent: each once, in the order sent. */
export function principals(most: number): Schema<string[]> {
  return mapped(list(principal, most), (sent) => [...new Set(sent)]);
}

const addressForm = { source: '^[hH][tT][tT][pP][sS]?://[^#\\\\\\u0000-\\u001f\\u007f]*[^#\\\\\\u0000-\\u001f\\u007f\\s]$', expected: 'an absolute http or https address without a fragment' };

/**
 * An absolute http or https address without a fragment. Its form as JSON Schema says it leaves out what only a parser
 * can tell, such as a port that is too high. Who may be read from is the registrar's to say.
 */
const address = mapped(text(1, 4096, addressForm), (given) => {
  if (!URL.canParse(given)) throw invalid([], `must be ${addressForm.expected}`);
  return given;
});

/** Body of PUT .../source-access, and `sourceAccess` of a registration: an address for reading, or one and a token beside it. */
export const sourceAccess = object({ url: required(address), sasToken: filled(text(1, 4096), null) });

const digest = mapped(text(64, 64, { source: '^[0-9a-fA-F]{64}$', expected: '64 hex characters' }), (given) => given.toLowerCase());

const fields = {
  externalId: required(text(1, 512)),
  filename: required(text(1, 255)),
  kind: required(kind),
  sourceUrl: required(address),
  sourceVersion: required(text(1, 512)),
  sourceAccess: filled(sourceAccess, null),
  language: filled(text(1, 16), 'multi'),
  audioTrack: filled(whole(0, 15), null),
  metadata: filled(assetMetadata, null),
  collections: filled(list(text(1, 512), 100), null),
  principals: filled(principals(5000), null),
  callbackKey: filled(text(1, 512), null),
  contentSha256: filled(digest, null),
  extractContentFromVideoFrames: filled(nullable(flag), null),
};

/** A pattern for names with one of these extensions in any letter case. */
function endingIn(extensions: readonly string[]): string {
  const anyCase = (extension: string): string => extension.slice(1).replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
  return `\\.(${extensions.map(anyCase).join('|')})$`;
}

/** What a filename must look like for a kind, in JSON Schema. */
function filenameOf(only: Kind): JsonObject {
  const extensions = capabilities.filter((format) => format.kind === only).flatMap((format) => format.extensions);
  const filename = extensions.length === 0 ? false : { pattern: endingIn(extensions) };
  return { if: { properties: { kind: { const: only } } }, then: { properties: { filename } } };
}

const kinds: Kind[] = ['video', 'audio', 'document'];

/** One registration. */
export const assetCreate: Schema<AssetCreate> = named('Registration', object(fields, [
  {
    // The extension is at fault, not the kind; it can be judged once both are well formed.
    after: 'kind',
    check: (asset) => {
      if (!isIndexed(asset.filename, asset.kind)) throw invalid(['filename'], `must end in an extension that /capabilities lists for ${asset.kind}`);
    },
    json: { allOf: kinds.map(filenameOf) },
  },
]));

/** The envelope of an import. Its items are checked one by one, so that each succeeds or fails alone. */
export const importRequest: Schema<{ assets: unknown[] }> = (() => {
  const envelope = list<unknown>({ json: assetCreate.json, check: (item) => item }, 100, 1);
  return object({ assets: required(envelope) });
})();

/** The externalId of an import's item, where it has a usable one. */
export function externalIdOf(item: unknown): string | null {
  if (!isObject(item)) return null;
  try {
    return fields.externalId.schema.check(item['externalId']);
  } catch {
    // An item without a usable id is answered with null in its place.
    return null;
  }
}

/** Body of PUT .../metadata. */
export const metadataBody = object({ metadata: required(assetMetadata) });

const aclMode = word('open', 'restricted');

/** Body of PUT .../permissions: `open` has no principals, `restricted` needs a list (that may be empty). */
export const permissionsBody = object({ mode: required(aclMode), principals: filled(principals(5000), null) }, [
  {
    after: 'principals',
    check: ({ mode, principals: sent }) => {
      if (mode === 'open' && sent !== null && sent.length > 0) throw invalid(['principals'], 'must be empty or left out with mode open');
      if (mode === 'restricted' && sent === null) throw invalid(['principals'], 'is missing');
    },
    json: {
      if: { properties: { mode: { const: 'open' } } },
      then: { properties: { principals: { maxItems: 0 } } },
      else: { required: ['principals'] },
    },
  },
]);

/** Checks one import item as it stands at its place in the body. */
export function checkImportItem(item: unknown, position: number): AssetCreate {
  try {
    return assetCreate.check(item);
  } catch (error) {
    throw within(within(within(error, position), 'assets'), 'body');
  }
}
