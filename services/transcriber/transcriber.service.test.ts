import { setTimeout as pause } from 'node:timers/promises';
import { ServiceBroker } from 'moleculer';
import type { HeardSound, Transcriber } from '../../adapters/speech/port.ts';
import { derivedKey } from '../../mixins/blocks/blocks.ts';
import { call } from '../../mixins/actions.ts';
import { tellAll } from '../../mixins/events.ts';
import type { ChunkRequest } from '../../mixins/transcript/chunks.ts';
import { stageSlots } from '../../mixins/runs/slots.ts';
import { testHouse, type TestHouse } from '../../test/support/house.ts';
import { Placement, transcriberNodes } from './placement.ts';
import { transcriberService } from './transcriber.service.ts';

/** Takes its time over each piece; tells which were begun here, and which were given up. */
function slowTranscriber(milliseconds: number): Transcriber & { begun: string[]; ended: string[]; quick: number } {
  const [begun, ended]: [string[], string[]] = [[], []];
  const speech = {
    begun, ended, quick: Infinity, model: { id: 'slow', languages: null }, absence: null,
    transcribe: async ({ wav, signal }: HeardSound) => {
      const name = Buffer.from(wav).toString('utf8');
      begun.push(name);
      await pause(begun.length > speech.quick ? 60_000 : milliseconds, undefined, { signal, ref: false }).catch((error: unknown) => {
        ended.push(name);
        throw error;
      });
      return [];
    },
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  return speech;
}

describe('transcribers in several processes', () => {
  let test: TestHouse;
  let brokers: ServiceBroker[];
  afterEach(async () => {
    await Promise.all(brokers.map((broker) => broker.stop()));
    await test.close();
  });

  /** Two brokers over one store, each with a transcriber of one place. */
  async function open(milliseconds: number) {
    test = await testHouse({ PLY_TRANSCRIBER_WORKERS: '1', PLY_TRANSCRIBER_SLOTS: '3' });
    const speeches = [slowTranscriber(milliseconds), slowTranscriber(milliseconds)];
    brokers = speeches.map((speech, index) => {
      const broker = new ServiceBroker({ nodeID: `node-${index}`, transporter: 'Fake', logger: false });
      broker.createService(transcriberService({ ...test.house, speech, nodeId: broker.nodeID }, broker));
      return broker;
    });
    await Promise.all(brokers.map((broker) => broker.start()));
    const [broker] = brokers;
    if (broker === undefined) throw new Error('there is no broker');
    for (let patience = 1200; transcriberNodes(broker).length < 2 && patience > 0; patience--) await pause(50);
    const placement = new Placement(() => transcriberNodes(broker), (nodeID, request) => call(broker, 'transcriber.chunk', request, { nodeID, timeout: 0 }));
    return { broker, speeches, placement };
  }

  async function piece(name: string): Promise<ChunkRequest> {
    await test.house.blobs.write(derivedKey('o', 'a', 1, name), Buffer.from(name));
    return { organizationId: 'o', assetId: 'a', revision: 1, recording: 'job.1', name, seconds: 30, language: null };
  }

  const calm = new AbortController().signal;

  it('share the pieces of a recording, and none is done twice', async () => {
    const { broker, speeches, placement } = await open(50);
    expect([placement.places(), stageSlots(broker, 'transcribing')]).toEqual([2, 6]);
    const names = Array.from({ length: 8 }, (_, index) => `${index}.wav`);
    const requests = await Promise.all(names.map(piece));
    await Promise.all(requests.map((request) => placement.transcribe(request, calm)));
    await Promise.all(requests.map((request) => placement.transcribe(request, calm)));
    expect(speeches.flatMap(({ begun }) => begun).sort()).toEqual(names);
    expect(speeches.map(({ begun }) => begun.length)).toEqual([4, 4]);
  });

  it('cost no more than the pieces in hand when one of them goes in the middle of a recording', async () => {
    const { speeches, placement } = await open(200);
    const [stays, goes] = speeches;
    if (stays === undefined || goes === undefined) throw new Error('there are no two transcribers');
    // It has one done, and one in hand that it does not end, when it is cut off.
    goes.quick = 1;
    const names = Array.from({ length: 8 }, (_, index) => `${index}.wav`);
    const working = Promise.all((await Promise.all(names.map(piece))).map((request) => placement.transcribe(request, calm)));
    while (goes.begun.length < 2) await pause(5);
    await brokers[1]?.transit?.disconnect();
    await working;
    const [done, inHand = ''] = goes.begun;
    expect(goes.begun).toHaveLength(2);
    expect(stays.begun.toSorted()).toEqual(names.filter((name) => name !== done));
    expect([...stays.begun, ...goes.begun].sort()).toEqual([...names, inHand].sort());
  });

  it('give up what nobody wants any more, in every process', async () => {
    const { broker, speeches, placement } = await open(60_000);
    const stop = new AbortController();
    const working = [await piece('0.wav'), await piece('1.wav')].map((request) => expect(placement.transcribe(request, stop.signal)).rejects.toThrow('cancelled'));
    while (speeches.some(({ begun }) => begun.length === 0)) await pause(10);
    stop.abort(new Error('cancelled'));
    await Promise.all(working);
    tellAll(broker, 'recording.abandoned', { recording: 'job.1' });
    for (let patience = 200; speeches.some(({ ended }) => ended.length === 0) && patience > 0; patience--) await pause(20);
    expect(speeches.map(({ ended }) => ended.length)).toEqual([1, 1]);
  });
});
