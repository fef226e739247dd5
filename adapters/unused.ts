import type { Counters } from './counters/port.ts';
import type { Objects } from './objects/port.ts';
import type { Passages } from './passages/port.ts';
import type { StageQueue } from './queue/port.ts';
import type { Transcriber } from './speech/port.ts';

/** Refuses every use: the process has no part that should need the store. */
function refusing(store: string): () => Promise<never> {
  return () => Promise.reject(new Error(`no part of this process uses the ${store}`));
}

const nothing = (): Promise<void> => Promise.resolve();

/** Stands for the passage index in a process that does not use it. */
export function unusedPassages(): Passages {
  const refuse = refusing('passages');
  return {
    write: refuse,
    publish: refuse,
    setAttributes: refuse,
    discard: refuse,
    removeFile: refuse,
    removeOrganization: refuse,
    retrieve: refuse,
    nearestWords: refuse,
    fetch: refuse,
    languages: refuse,
    countOf: refuse,
    nearestFiles: refuse,
    vectorsOf: refuse,
    holdsVectors: refuse,
    sampleVectors: refuse,
    frequenciesOf: refuse,
    state: refuse,
    ping: nothing,
    close: nothing,
  };
}

/** Stands for the counters in a process that does not use them. */
export function unusedCounters(): Counters {
  return { take: refusing('counters'), shareAmong: () => undefined, ping: nothing, close: nothing };
}

/** Stands for the stage queue in a process that does not use it. */
export function unusedQueue(): StageQueue {
  const refuse = refusing('queue');
  return {
    publish: refuse,
    consume: refuse,
    depth: refuse,
    outstanding: () => null,
    durable: true,
    ping: nothing,
    close: nothing,
  };
}

/** Stands for the objects in a process that does not use them. */
export function unusedObjects(): Objects {
  const refuse = refusing('objects');
  const none = (): never => {
    throw new Error('no part of this process uses the objects');
  };
  return {
    writePart: refuse,
    join: refuse,
    read: none,
    head: refuse,
    remove: refuse,
    removePart: refuse,
    partsOf: refuse,
    list: none,
    ping: nothing,
    close: nothing,
  };
}

/** Stands for the transcriber in a process that does not use it. */
export function unusedSpeech(): Transcriber {
  return {
    model: null,
    absence: 'no part of this process transcribes',
    transcribe: refusing('transcriber'),
    ping: nothing,
    close: nothing,
  };
}
