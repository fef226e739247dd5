import type { ChunkOutcome, ChunkRequest } from '../../mixins/transcript/chunks.ts';
import { Placement, type TranscriberNode } from './placement.ts';

const request: ChunkRequest = { organizationId: 'o', assetId: 'a', revision: 1, recording: 'r', name: '1.wav', seconds: 30, language: null };
const calm = new AbortController().signal;

function undelivered(): Error {
  return Object.assign(new Error('gone'), { name: 'RequestRejectedError', data: { undelivered: true } });
}

/** Calls that are answered when the test says so. */
function open(nodes: readonly TranscriberNode[]) {
  const calls: { nodeId: string; answer(outcome: ChunkOutcome): void; fail(error: Error): void }[] = [];
  const placement = new Placement(() => nodes, (nodeId) => new Promise<ChunkOutcome>((answer, fail) => calls.push({ nodeId, answer, fail })));
  const called = async (count: number): Promise<void> => {
    while (calls.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { calls, placement, called };
}

describe('placing pieces of sound', () => {
  it('gives each process as many as it has places for', async () => {
    const { calls, placement } = open([{ nodeId: 'small', places: 1 }, { nodeId: 'large', places: 3 }]);
    expect(placement.places()).toBe(4);
    const pieces = Array.from({ length: 8 }, () => placement.transcribe(request, calm));
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls.map(({ nodeId }) => nodeId).sort()).toEqual(['large', 'large', 'large', 'large', 'large', 'large', 'small', 'small']);
    for (const { answer } of calls) answer({ state: 'done' });
    await Promise.all(pieces);
  });

  it('goes to another process where one ends its work, or is gone', async () => {
    const { calls, placement, called } = open([{ nodeId: 'a', places: 1 }, { nodeId: 'b', places: 1 }]);
    const piece = placement.transcribe(request, calm);
    await called(1);
    calls[0]?.answer({ state: 'elsewhere' });
    await called(2);
    calls[1]?.fail(undelivered());
    await called(3);
    calls[2]?.answer({ state: 'done' });
    await piece;
    expect(calls.slice(0, 2).map(({ nodeId }) => nodeId)).toEqual(['a', 'b']);
  });

  it('puts the recording off when processes are lost again and again', async () => {
    const { calls, placement, called } = open(['a', 'b', 'c', 'd'].map((nodeId) => ({ nodeId, places: 1 })));
    const piece = expect(placement.transcribe(request, calm)).rejects.toMatchObject({ code: 'model_unavailable', outcome: 'temporary' });
    for (let lost = 0; lost < 3; lost++) {
      await called(lost + 1);
      calls[lost]?.fail(new Error('lost'));
    }
    await piece;
    expect(new Set(calls.map(({ nodeId }) => nodeId)).size).toBe(3);
  });

  it('tells how a piece failed', async () => {
    const { calls, placement, called } = open([{ nodeId: 'a', places: 1 }]);
    const piece = expect(placement.transcribe(request, calm)).rejects.toMatchObject({ code: 'transcription_failed', outcome: 'definite', message: 'why' });
    await called(1);
    calls[0]?.answer({ state: 'failed', code: 'transcription_failed', outcome: 'definite', detail: 'why' });
    await piece;
  });

  it('does not wait for an answer that nobody wants any more', async () => {
    const stop = new AbortController();
    const { placement, called } = open([{ nodeId: 'a', places: 1 }]);
    const piece = expect(placement.transcribe(request, stop.signal)).rejects.toThrow('not any more');
    await called(1);
    stop.abort(new Error('not any more'));
    await piece;
    const none = open([]);
    await expect(none.placement.transcribe(request, stop.signal)).rejects.toThrow('not any more');
  });
});
