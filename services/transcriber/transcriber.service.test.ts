import { setTimeout as pause } from 'node:timers/promises';
import { ServiceBroker } from 'moleculer';
import type { HeardSound, Transcriber } from '../../adapters/speech/port.ts';
import { derivedKey } from '../../mixins/blocks/blocks.ts';
import { call } from '../../mixins/actions/call.ts';
import { ParamsValidator } from '../../mixins/middlewares/params-validator.ts';
import { broadcastEvent } from '../../mixins/events.ts';
import type { ChunkRequest } from '../../mixins/transcript/chunks.ts';
import { stageSlots } from '../../mixins/work/dispatcher.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { Placement, transcriberNodes } from './placement.ts';
import { transcriberService } from './transcriber.service.ts';

/** Delays each piece; records which were started here and which were cancelled. */
function slowTranscriber(milliseconds: number): Transcriber & { begun: string[]; ended: string[]; quick: number } {
  const [begun, ended]: [string[], string[]] = [[], []];
  const speech = {
    begun,
    ended,
    quick: Infinity,
    model: { id: 'slow', languages: null },
    absence: null,
    transcribe: async ({ wav, signal }: HeardSound) => {
      const name = Buffer.from(wav).toString('utf8');
      begun.push(name);
      await pause(begun.length > speech.quick ? 60_000 : milliseconds, undefined, { signal, ref: false }).catch(
        (error: unknown) => {
          ended.push(name);
          throw error;
        },
      );
      return [];
    },
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  return speech;
}

describe('transcribers in several processes', () => {
  let test: TestApp;
  let brokers: ServiceBroker[];
  afterEach(async () => {
    await Promise.all(brokers.map((broker) => broker.stop()));
    await test.close();
  });

  /** Two brokers over one store, each with a transcriber of one slot. */
  async function open(milliseconds: number) {
    test = await testApp({ PLY_TRANSCRIBER_WORKERS: '1', PLY_TRANSCRIBER_SLOTS: '3' });
    const speeches = [slowTranscriber(milliseconds), slowTranscriber(milliseconds)];
    brokers = speeches.map((speech, index) => {
      const broker = new ServiceBroker({
        nodeID: `node-${index}`,
        transporter: 'Fake',
        logger: false,
        validator: new ParamsValidator(),
      });
      broker.createService(transcriberService({ ...test.app, speech, nodeId: broker.nodeID }, broker));
      return broker;
    });
    await Promise.all(brokers.map((broker) => broker.start()));
    const [broker] = brokers;
    if (broker === undefined) throw new Error('there is no broker');
    for (let attempts = 1200; transcriberNodes(broker).length < 2 && attempts > 0; attempts--) await pause(50);
    const placement = new Placement(
      () => transcriberNodes(broker),
      (nodeID, request) => call(broker, 'transcriber.chunk', request, { nodeID, timeout: 0 }),
    );
    return { broker, speeches, placement };
  }

  async function piece(name: string): Promise<ChunkRequest> {
    await test.app.blobs.write(derivedKey('o', 'a', 1, name), Buffer.from(name));
    return { organizationId: 'o', assetId: 'a', revision: 1, recording: 'job.1', name, seconds: 30, language: null };
  }

  const calm = new AbortController().signal;

  it('share the pieces of a recording, and transcribe none twice', async () => {
    const { broker, speeches, placement } = await open(50);
    expect([placement.slots(), stageSlots(broker, 'transcribing')]).toEqual([2, 6]);
    const names = Array.from({ length: 8 }, (_, index) => `${index}.wav`);
    const requests = await Promise.all(names.map(piece));
    await Promise.all(requests.map((request) => placement.transcribe(request, calm)));
    await Promise.all(requests.map((request) => placement.transcribe(request, calm)));
    expect(speeches.flatMap(({ begun }) => begun).sort()).toEqual(names);
    expect(speeches.map(({ begun }) => begun.length)).toEqual([4, 4]);
  });

  it('repeat only the pieces in progress if one of them is lost during a recording', async () => {
    const { speeches, placement } = await open(200);
    const [stays, goes] = speeches;
    if (stays === undefined || goes === undefined) throw new Error('there are no two transcribers');
    // It has finished one piece, and has another in progress, when it is disconnected.
    goes.quick = 1;
    const names = Array.from({ length: 8 }, (_, index) => `${index}.wav`);
    const working = Promise.all(
      (await Promise.all(names.map(piece))).map((request) => placement.transcribe(request, calm)),
    );
    while (goes.begun.length < 2) await pause(5);
    await brokers[1]?.transit?.disconnect();
    await working;
    const [done, current = ''] = goes.begun;
    expect(goes.begun).toHaveLength(2);
    expect(stays.begun.toSorted()).toEqual(names.filter((name) => name !== done));
    expect([...stays.begun, ...goes.begun].sort()).toEqual([...names, current].sort());
  });

  it('cancel abandoned pieces in every process', async () => {
    const { broker, speeches, placement } = await open(60_000);
    const stop = new AbortController();
    const working = [await piece('0.wav'), await piece('1.wav')].map((request) =>
      expect(placement.transcribe(request, stop.signal)).rejects.toThrow('cancelled'),
    );
    while (speeches.some(({ begun }) => begun.length === 0)) await pause(10);
    stop.abort(new Error('cancelled'));
    await Promise.all(working);
    broadcastEvent(broker, 'recording.abandoned', { recording: 'job.1' });
    for (let attempts = 200; speeches.some(({ ended }) => ended.length === 0) && attempts > 0; attempts--)
      await pause(20);
    expect(speeches.map(({ ended }) => ended.length)).toEqual([1, 1]);
  });
});
