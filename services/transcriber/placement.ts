import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import { TranscriptionFailure } from '../../adapters/speech/port.ts';
import type { ChunkOutcome, ChunkRequest } from '../../mixins/transcript/chunks.ts';
import { unlessAborted } from '../../models/unless-aborted.ts';

/** A process that transcribes pieces, with the number of pieces that it transcribes concurrently. */
export interface TranscriberNode {
  nodeId: string;
  slots: number;
}

/** Maximum calls of one piece that are lost with their process; then the recording is retried later. */
const maxLostCalls = 3;
/** Time for which a process that refused or disappeared is avoided, in milliseconds. */
const avoidMs = 2000;
/** Time limit of waiting for a process that accepts the piece, in milliseconds. */
const timeoutMs = 60_000;
const pollMs = 250;

/** The transcribing processes in the broker's registry. */
export function transcriberNodes(broker: ServiceBroker): TranscriberNode[] {
  const services: { name?: unknown; nodeID?: unknown; metadata?: Record<string, unknown> }[] =
    broker.registry.getServiceList({ onlyAvailable: true, withActions: false, withEvents: false, skipInternal: true });
  return services.flatMap(({ name, nodeID, metadata }) => {
    const slots = metadata?.['places'];
    return name === 'transcriber' && typeof nodeID === 'string' && typeof slots === 'number' && slots > 0
      ? [{ nodeId: nodeID, slots }]
      : [];
  });
}

/** Whether a call failed before its action began, because the process has disappeared. */
function wasNotDelivered(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'ServiceNotFoundError' || error.name === 'ServiceNotAvailableError') return true;
  return (
    'data' in error &&
    typeof error.data === 'object' &&
    error.data !== null &&
    'undelivered' in error.data &&
    error.data.undelivered === true
  );
}

/** Distributes pieces of sound among the transcribing processes, in proportion to their slots. */
export class Placement {
  private readonly nodes: () => readonly TranscriberNode[];
  private readonly callNode: (nodeId: string, request: ChunkRequest) => Promise<ChunkOutcome>;
  /** Number of pieces that this process has assigned to each process. */
  private readonly assigned = new Map<string, number>();
  private readonly avoided = new Map<string, number>();

  constructor(
    nodes: () => readonly TranscriberNode[],
    callNode: (nodeId: string, request: ChunkRequest) => Promise<ChunkOutcome>,
  ) {
    this.nodes = nodes;
    this.callNode = callNode;
  }

  /** Total slots of all processes. */
  slots(): number {
    return this.nodes().reduce((sum, { slots }) => sum + slots, 0);
  }

  /**
   * Has a piece transcribed; if its process is lost, by another one.
   * @throws TranscriptionFailure as reported by the piece's process; temporary if processes are lost repeatedly or none
   * accepts the piece; or the signal's reason.
   */
  async transcribe(request: ChunkRequest, signal: AbortSignal): Promise<void> {
    let lost = 0;
    for (;;) {
      const nodeId = await this.assign(signal);
      try {
        const outcome = await unlessAborted(this.callNode(nodeId, request), signal);
        if (outcome.state === 'done') return;
        if (outcome.state === 'failed') throw new TranscriptionFailure(outcome.code, outcome.outcome, outcome.detail);
        this.avoid(nodeId);
      } catch (error) {
        if (signal.aborted || (error instanceof Error && error.name === 'TranscriptionFailure')) throw error;
        this.avoid(nodeId);
        if (!wasNotDelivered(error) && ++lost === maxLostCalls)
          throw new TranscriptionFailure('model_unavailable', 'temporary', 'processes that transcribed were lost', {
            cause: error,
          });
      } finally {
        const assigned = (this.assigned.get(nodeId) ?? 1) - 1;
        if (assigned === 0) this.assigned.delete(nodeId);
        else this.assigned.set(nodeId, assigned);
      }
    }
  }

  private avoid(nodeId: string): void {
    this.avoided.set(nodeId, performance.now() + avoidMs);
  }

  /** Assigns a piece to the process with the lowest load per slot; waits while there is none. */
  private async assign(signal: AbortSignal): Promise<string> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      signal.throwIfAborted();
      const now = performance.now();
      for (const [nodeId, until] of this.avoided) if (until <= now) this.avoided.delete(nodeId);
      const busy = ({ nodeId, slots }: TranscriberNode): number => (this.assigned.get(nodeId) ?? 0) / slots;
      const candidates = this.nodes().filter(({ nodeId }) => !this.avoided.has(nodeId));
      const [first, ...others] = candidates;
      if (first !== undefined) {
        const { nodeId } = others.reduce((best, node) => (busy(node) < busy(best) ? node : best), first);
        this.assigned.set(nodeId, (this.assigned.get(nodeId) ?? 0) + 1);
        return nodeId;
      }
      if (now > deadline)
        throw new TranscriptionFailure('model_unavailable', 'temporary', 'no process takes pieces of sound');
      // An abort is handled above.
      await pause(pollMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
