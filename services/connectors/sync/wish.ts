import { hash } from 'node:crypto';
import type { SourceEntry } from '../../../adapters/sources/port.ts';
import type { Connector } from '../../../models/connector.ts';
import type { SyncedFile, SyncMarks } from '../../../models/sync.ts';

/** 96 bits of a text's SHA-256: two files of a connector are not taken for the same by chance. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}

/** Digests of lists of principals, of which a source has one for many files. */
const accessDigests = new WeakMap<readonly string[], string>();

function accessOf(principals: readonly string[]): string {
  const known = accessDigests.get(principals);
  if (known !== undefined) return known;
  const made = digest(JSON.stringify([...principals].sort()));
  accessDigests.set(principals, made);
  return made;
}

/**
 * How the library is to keep the files of a connector. In mode `restricted` a source that knows who may see a file decides,
 * and a bucket's files are the organization's; in mode `open` they are open.
 */
export function wishesOf(connector: Connector): (entry: SourceEntry) => { file: SyncedFile; marks: SyncMarks } {
  const { defaultAclMode: aclMode, extractContentFromVideoFrames } = connector;
  const organizations = [`org:${connector.organizationId}`];
  const nobody: string[] = [];
  return ({ externalId, filename, sourceUrl, sourceVersion, contentId, principals: told }) => {
    const mirrored = told !== null && aclMode === 'restricted';
    const principals = aclMode === 'open' ? nobody : (told ?? organizations);
    const access = `${mirrored ? 'm' : aclMode.charAt(0)}${accessOf(principals)}`;
    const mark = digest(JSON.stringify([filename, sourceUrl, sourceVersion, contentId, extractContentFromVideoFrames, access]));
    return { file: { externalId, filename, sourceUrl, sourceVersion, contentId, aclMode, principals, mirrored, extractContentFromVideoFrames }, marks: { mark, access } };
  };
}
