import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import { TranscriptionFailure } from '../../adapters/speech/port.ts';
import type { ChunkOutcome, ChunkRequest } from '../../mixins/transcript/chunks.ts';

/** A process that transcribes pieces, and how many at a time. */
export interface TranscriberNode {
  nodeId: string;
  places: number;
}

/** Calls of one piece that may be lost with the process that does it, before its recording is put off. */
const mostLost = 3;
/** How long a process that refused or is gone is not asked, in milliseconds. */
const avoidedMs = 2000;
/** Longest wait for a process that takes the piece, in milliseconds. */
const patienceMs = 60_000;
const lookMs = 250;

/** The processes that transcribe, as the registry knows them. */
export function transcriberNodes(broker: ServiceBroker): TranscriberNode[] {
  const services: { name?: unknown; nodeID?: unknown; metadata?: Record<string, unknown> }[] = broker.registry.getServiceList({ onlyAvailable: true, withActions: false, withEvents: false, skipInternal: true });
  return services.flatMap(({ name, nodeID, metadata }) => {
    const places = metadata?.['places'];
    return name === 'transcriber' && typeof nodeID === 'string' && typeof places === 'number' && places > 0 ? [{ nodeId: nodeID, places }] : [];
  });
}

/** Whether a call failed before its action began: the process is gone, or not known any more. */
function wasNotDelivered(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'ServiceNotFoundError' || error.name === 'ServiceNotAvailableError') return true;
  return 'data' in error && typeof error.data === 'object' && error.data !== null && 'undelivered' in error.data && error.data.undelivered === true;
}

/** Rejects with the signal's reason as soon as it is aborted, whatever the work does then. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Hands pieces of sound to the processes that transcribe, each as many as it has places for. */
export class Placement {
  private readonly nodes: () => readonly TranscriberNode[];
  private readonly callNode: (nodeId: string, request: ChunkRequest) => Promise<ChunkOutcome>;
  /** Pieces that this process has at each. */
  private readonly out = new Map<string, number>();
  private readonly avoided = new Map<string, number>();

  constructor(nodes: () => readonly TranscriberNode[], callNode: (nodeId: string, request: ChunkRequest) => Promise<ChunkOutcome>) {
    this.nodes = nodes;
    this.callNode = callNode;
  }

  /** Pieces that all processes together do at a time. */
  places(): number {
    return this.nodes().reduce((sum, { places }) => sum + places, 0);
  }

  /**
   * Has a piece transcribed, by another process where one is lost with it.
   * @throws TranscriptionFailure as the piece's process tells it; temporary where processes are lost again and again, or
   * none takes it; or the signal's reason.
   */
  async transcribe(request: ChunkRequest, signal: AbortSignal): Promise<void> {
    let lost = 0;
    for (;;) {
      const nodeId = await this.take(signal);
      try {
        const outcome = await unlessAborted(this.callNode(nodeId, request), signal);
        if (outcome.state === 'done') return;
        if (outcome.state === 'failed') throw new TranscriptionFailure(outcome.code, outcome.outcome, outcome.detail);
        this.avoid(nodeId);
      } catch (error) {
        if (signal.aborted || (error instanceof Error && error.name === 'TranscriptionFailure')) throw error;
        this.avoid(nodeId);
        if (!wasNotDelivered(error) && ++lost === mostLost) throw new TranscriptionFailure('model_unavailable', 'temporary', 'processes that transcribed were lost', { cause: error });
      } finally {
        const out = (this.out.get(nodeId) ?? 1) - 1;
        if (out === 0) this.out.delete(nodeId);
        else this.out.set(nodeId, out);
      }
    }
  }

  private avoid(nodeId: string): void {
    this.avoided.set(nodeId, performance.now() + avoidedMs);
  }

  /** Takes a place at the process with the least to do for its places; waits while none is there. */
  private async take(signal: AbortSignal): Promise<string> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      signal.throwIfAborted();
      const now = performance.now();
      for (const [nodeId, until] of this.avoided) if (until <= now) this.avoided.delete(nodeId);
      const busy = ({ nodeId, places }: TranscriberNode): number => (this.out.get(nodeId) ?? 0) / places;
      const candidates = this.nodes().filter(({ nodeId }) => !this.avoided.has(nodeId));
      const [first, ...others] = candidates;
      if (first !== undefined) {
        const { nodeId } = others.reduce((best, node) => (busy(node) < busy(best) ? node : best), first);
        this.out.set(nodeId, (this.out.get(nodeId) ?? 0) + 1);
        return nodeId;
      }
      if (now > deadline) throw new TranscriptionFailure('model_unavailable', 'temporary', 'no process takes pieces of sound');
      // An abort is looked at above.
      await pause(lookMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
