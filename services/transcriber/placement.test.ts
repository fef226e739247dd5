import type { ChunkOutcome, ChunkRequest } from '../../mixins/transcript/chunks.ts';
import { Placement, type TranscriberNode } from './placement.ts';

const request: ChunkRequest = {
  organizationId: 'o',
  assetId: 'a',
  revision: 1,
  recording: 'r',
  name: '1.wav',
  seconds: 30,
  language: null,
};
const calm = new AbortController().signal;

function undelivered(): Error {
  return Object.assign(new Error('gone'), { name: 'RequestRejectedError', data: { undelivered: true } });
}

/** Calls that the test resolves. */
function open(nodes: readonly TranscriberNode[]) {
  const calls: { nodeId: string; answer(outcome: ChunkOutcome): void; fail(error: Error): void }[] = [];
  const placement = new Placement(
    () => nodes,
    (nodeId) => new Promise<ChunkOutcome>((answer, fail) => calls.push({ nodeId, answer, fail })),
  );
  const called = async (count: number): Promise<void> => {
    while (calls.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { calls, placement, called };
}

describe('placing pieces of sound', () => {
  it('assigns pieces to each process by its slots', async () => {
    const { calls, placement } = open([
      { nodeId: 'small', slots: 1 },
      { nodeId: 'large', slots: 3 },
    ]);
    expect(placement.slots()).toBe(4);
    const pieces = Array.from({ length: 8 }, () => placement.transcribe(request, calm));
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls.map(({ nodeId }) => nodeId).sort()).toEqual([
      'large',
      'large',
      'large',
      'large',
      'large',
      'large',
      'small',
      'small',
    ]);
    for (const { answer } of calls) answer({ state: 'done' });
    await Promise.all(pieces);
  });

  it('moves to another process if one stops or disappears', async () => {
    const { calls, placement, called } = open([
      { nodeId: 'a', slots: 1 },
      { nodeId: 'b', slots: 1 },
    ]);
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

  it('fails temporarily if processes are lost repeatedly', async () => {
    const { calls, placement, called } = open(['a', 'b', 'c', 'd'].map((nodeId) => ({ nodeId, slots: 1 })));
    const piece = expect(placement.transcribe(request, calm)).rejects.toMatchObject({
      code: 'model_unavailable',
      outcome: 'temporary',
    });
    for (let lost = 0; lost < 3; lost++) {
      await called(lost + 1);
      calls[lost]?.fail(new Error('lost'));
    }
    await piece;
    expect(new Set(calls.map(({ nodeId }) => nodeId)).size).toBe(3);
  });

  it('reports the failure of a piece', async () => {
    const { calls, placement, called } = open([{ nodeId: 'a', slots: 1 }]);
    const piece = expect(placement.transcribe(request, calm)).rejects.toMatchObject({
      code: 'transcription_failed',
      outcome: 'definite',
      message: 'why',
    });
    await called(1);
    calls[0]?.answer({ state: 'failed', code: 'transcription_failed', outcome: 'definite', detail: 'why' });
    await piece;
  });

  it('stops waiting for an aborted piece', async () => {
    const stop = new AbortController();
    const { placement, called } = open([{ nodeId: 'a', slots: 1 }]);
    const piece = expect(placement.transcribe(request, stop.signal)).rejects.toThrow('not any more');
    await called(1);
    stop.abort(new Error('not any more'));
    await piece;
    const none = open([]);
    await expect(none.placement.transcribe(request, stop.signal)).rejects.toThrow('not any more');
  });
});
