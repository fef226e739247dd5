import type { StageMessage } from '../../models/job.ts';

/** A stage message as it travels. */
export function encodeStageMessage(message: StageMessage): Uint8Array {
  const { organizationId, assetId, jobId, stageSeq, attempt } = message;
  return new TextEncoder().encode(JSON.stringify({ organizationId, assetId, jobId, stageSeq, attempt }));
}

/** The stage message that travelling bytes are, or null. */
export function parseStageMessage(bytes: Uint8Array): StageMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // Not JSON: somebody else's message.
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  if (!('organizationId' in value && 'assetId' in value && 'jobId' in value && 'stageSeq' in value && 'attempt' in value)) return null;
  const { organizationId, assetId, jobId, stageSeq, attempt } = value;
  if (typeof organizationId !== 'string' || typeof assetId !== 'string' || typeof jobId !== 'string') return null;
  if (typeof stageSeq !== 'number' || typeof attempt !== 'number') return null;
  return { organizationId, assetId, jobId, stageSeq, attempt };
}
