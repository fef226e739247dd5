import type { WorkMessage } from '../../models/work.ts';

/** The serialized form of a message. Earlier versions read it too, so its names do not change. */
export function encodeMessage({ organizationId, documentId, jobId, stageSeq, attempt }: WorkMessage): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ organizationId, assetId: documentId, jobId, stageSeq, attempt }));
}

/** Parses a message; null if it is none. */
export function parseMessage(bytes: Uint8Array): WorkMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // Not JSON: another program's message.
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const fields: { readonly [name: string]: unknown } = { ...value };
  const { organizationId, assetId, jobId, stageSeq, attempt } = fields;
  if (typeof organizationId !== 'string' || typeof assetId !== 'string' || typeof jobId !== 'string') return null;
  if (typeof stageSeq !== 'number' || typeof attempt !== 'number') return null;
  return { organizationId, documentId: assetId, jobId, stageSeq, attempt };
}
