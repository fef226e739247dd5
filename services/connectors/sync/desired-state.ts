import { hash } from 'node:crypto';
import type { SourceEntry } from '../../../adapters/sources/port.ts';
import type { Connector } from '../../../models/connector.ts';
import type { SyncedFile, SyncMarks } from '../../../models/sync.ts';

/** 96 bits of a text's SHA-256: enough that two files of a connector do not collide. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}

/** Digests by list of principals: a source shares one list among many files. */
const accessDigests = new WeakMap<readonly string[], string>();

function accessOf(principals: readonly string[]): string {
  const known = accessDigests.get(principals);
  if (known !== undefined) return known;
  const computed = digest(JSON.stringify([...principals].sort()));
  accessDigests.set(principals, computed);
  return computed;
}

/**
 * The state that the library must have for each file of a connector. In mode `restricted` the source decides who may
 * see a file where it knows, else the whole organization may; in mode `open` everybody may.
 */
export function desiredState(connector: Connector): (entry: SourceEntry) => { file: SyncedFile; marks: SyncMarks } {
  const { defaultAclMode: aclMode, extractContentFromVideoFrames } = connector;
  const organizations = [`org:${connector.organizationId}`];
  const nobody: string[] = [];
  return ({ externalId, filename, sourceUrl, sourceVersion, contentId, principals: listed }) => {
    const mirrored = listed !== null && aclMode === 'restricted';
    const principals = aclMode === 'open' ? nobody : (listed ?? organizations);
    const access = `${mirrored ? 'm' : aclMode.charAt(0)}${accessOf(principals)}`;
    const mark = digest(
      JSON.stringify([filename, sourceUrl, sourceVersion, contentId, extractContentFromVideoFrames, access]),
    );
    return {
      file: {
        externalId,
        filename,
        sourceUrl,
        sourceVersion,
        contentId,
        aclMode,
        principals,
        mirrored,
        extractContentFromVideoFrames,
      },
      marks: { mark, access },
    };
  };
}
