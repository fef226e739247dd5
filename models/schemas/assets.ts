import type { Kind } from '../asset.ts';
import { invalid } from '../errors.ts';
import { capabilities, isIndexed } from '../formats.ts';
import type { JsonObject } from '../json.ts';
import { assetMetadata } from './metadata.ts';
import {
  type Infer,
  withDefault,
  isObject,
  list,
  named,
  nullable,
  object,
  required,
  type Schema,
  schemaOf,
} from './schema.ts';
import { within } from './faults.ts';
import { boolean, mapped, text, integer, oneOf } from './values.ts';

/** The kinds of files. */
export const kind: Schema<Kind> = named('Kind', oneOf('video', 'audio', 'document'));

/** A principal: an opaque text. */
export const principal = text(1, 512);

/** A list of principals without duplicates, in the order sent. */
export function principals(max: number): Schema<string[]> {
  return mapped(list(principal, max), (sent) => [...new Set(sent)]);
}

const addressForm = {
  source: '^[hH][tT][tT][pP][sS]?://[^#\\\\\\u0000-\\u001f\\u007f]*[^#\\\\\\u0000-\\u001f\\u007f\\s]$',
  expected: 'an absolute http or https address without a fragment',
};

/**
 * An absolute http or https address without a fragment. JSON Schema cannot express everything that a parser checks,
 * such as the range of ports. The registrar checks whether the host is allowed.
 */
const address = mapped(text(1, 4096, addressForm), (given) => {
  if (!URL.canParse(given)) throw invalid([], `must be ${addressForm.expected}`);
  return given;
});

/**
 * Body of PUT .../source-access, and `sourceAccess` of a registration: an address for reading, optionally with a token.
 */
export const sourceAccess = object({ url: required(address), sasToken: withDefault(text(1, 4096), null) });

const digest = mapped(text(64, 64, { source: '^[0-9a-fA-F]{64}$', expected: '64 hex characters' }), (given) =>
  given.toLowerCase(),
);

const fields = {
  externalId: required(text(1, 512)),
  filename: required(text(1, 255)),
  kind: required(kind),
  sourceUrl: required(address),
  sourceVersion: required(text(1, 512)),
  sourceAccess: withDefault(sourceAccess, null),
  language: withDefault(text(1, 16), 'multi'),
  audioTrack: withDefault(integer(0, 15), null),
  /** Null: not sent; a registration of the same file keeps its metadata. */
  metadata: withDefault(assetMetadata, null),
  collections: withDefault(list(text(1, 512), 100), null),
  principals: withDefault(principals(5000), null),
  callbackKey: withDefault(text(1, 512), null),
  contentSha256: withDefault(digest, null),
  extractContentFromVideoFrames: withDefault(nullable(boolean), null),
};

/** A pattern for names with one of these extensions in any letter case. */
function endingIn(extensions: readonly string[]): string {
  const anyCase = (extension: string): string =>
    extension.slice(1).replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
  return `\\.(${extensions.map(anyCase).join('|')})$`;
}

/** The pattern of filenames of a kind, in JSON Schema. */
function filenameOf(only: Kind): JsonObject {
  const extensions = capabilities.filter((format) => format.kind === only).flatMap((format) => format.extensions);
  const filename = extensions.length === 0 ? false : { pattern: endingIn(extensions) };
  return { if: { properties: { kind: { const: only } } }, then: { properties: { filename } } };
}

const kinds: Kind[] = ['video', 'audio', 'document'];

/** One registration. */
export const assetCreate = named(
  'Registration',
  object(fields, [
    {
      // Reported for the extension, not the kind. It is checked once both are valid.
      after: 'kind',
      check: (asset) => {
        if (!isIndexed(asset.filename, asset.kind))
          throw invalid(['filename'], `must end in an extension that /capabilities lists for ${asset.kind}`);
      },
      json: { allOf: kinds.map(filenameOf) },
    },
  ]),
);

/** The envelope of an import. Its items are checked separately, so that each succeeds or fails by itself. */
export const importRequest: Schema<{ assets: unknown[] }> = (() => {
  const envelope = list<unknown>(schemaOf(assetCreate.json, { type: 'any', nullable: true }), 100, 1);
  return object({ assets: required(envelope) });
})();

/** The externalId of an import's item; null if it has no valid one. */
export function externalIdOf(item: unknown): string | null {
  if (!isObject(item)) return null;
  try {
    return fields.externalId.schema.check(item['externalId']);
  } catch {
    // The answer for an item without a valid id has null instead.
    return null;
  }
}

/** Body of PUT .../metadata. */
export const metadataBody = object({ metadata: required(assetMetadata) });

/** Who may find a file. */
export const aclMode = oneOf('open', 'restricted');

/** Body of PUT .../permissions: `open` has no principals, `restricted` needs a list (that may be empty). */
export const permissionsBody = object({ mode: required(aclMode), principals: withDefault(principals(5000), null) }, [
  {
    after: 'principals',
    check: ({ mode, principals: sent }) => {
      if (mode === 'open' && sent !== null && sent.length > 0)
        throw invalid(['principals'], 'must be empty or left out with mode open');
      if (mode === 'restricted' && sent === null) throw invalid(['principals'], 'is missing');
    },
    json: {
      if: { properties: { mode: { const: 'open' } } },
      then: { properties: { principals: { maxItems: 0 } } },
      else: { required: ['principals'] },
    },
  },
]);

/** Checks the import item at an index of the body. */
export function checkImportItem(item: unknown, position: number): Infer<typeof assetCreate> {
  try {
    return assetCreate.check(item);
  } catch (error) {
    throw within(within(within(error, position), 'assets'), 'body');
  }
}
