import type { Stores } from '../../adapters/open.ts';
import type { Blobs } from '../../adapters/blobs/port.ts';
import type { Chat } from '../../adapters/chat/port.ts';
import type { Counters } from '../../adapters/counters/port.ts';
import type { Embeddings } from '../../adapters/embeddings/port.ts';
import type { Objects } from '../../adapters/objects/port.ts';
import type { Passages, Retrieval } from '../../adapters/passages/port.ts';
import type { Transcriber } from '../../adapters/speech/port.ts';
import type { Metrics } from '../../mixins/metrics.ts';
import { observer, type Observe } from './latency.ts';
import { measuredRecords } from './records.ts';

/**
 * Wraps all stores and models so that each operation is timed in the program's metrics. Their behaviour is unchanged.
 * @param isTraced whether operations are also recorded as spans
 */
export function measuredStores(stores: Stores, metrics: Metrics, isTraced: boolean): Stores {
  const store = (part: string): Observe => observer(metrics.stores, part, isTraced);
  const model = (part: string): Observe => observer(metrics.models, part, isTraced);
  return {
    ...stores,
    records: measuredRecords(stores.records, store('records')),
    passages: measuredPassages(stores.passages, store('passages')),
    counters: measuredCounters(stores.counters, store('counters')),
    blobs: measuredBlobs(stores.blobs, store('blobs')),
    objects: measuredObjects(stores.objects, store('objects')),
    embeddings: measuredEmbeddings(stores.embeddings, model('embeddings')),
    speech: measuredSpeech(stores.speech, model('speech')),
    chat: stores.chat === null ? null : measuredChat(stores.chat, model('answers')),
  };
}

/** The legs of a retrieval, which differ in cost. */
function legsOf({ terms, vectors }: Retrieval): string {
  if (vectors.length === 0) return 'retrieve_words';
  return terms.length === 0 ? 'retrieve_meaning' : 'retrieve_both';
}

function measuredPassages(inner: Passages, observe: Observe): Passages {
  const now = (): number => performance.now();
  return {
    write: (scope, file, rows) => observe('write', now(), inner.write(scope, file, rows)),
    publish: (scope, revision, count, attributes, last) =>
      observe('publish', now(), inner.publish(scope, revision, count, attributes, last)),
    setAttributes: (scope, attributes) => observe('setAttributes', now(), inner.setAttributes(scope, attributes)),
    discard: (scope, assetId, revision) => observe('discard', now(), inner.discard(scope, assetId, revision)),
    removeFile: (scope, assetId) => observe('removeFile', now(), inner.removeFile(scope, assetId)),
    removeOrganization: (scope) => observe('removeOrganization', now(), inner.removeOrganization(scope)),
    retrieve: (scope, retrieval) => observe(legsOf(retrieval), now(), inner.retrieve(scope, retrieval)),
    nearestFiles: (scope, retrieval) => observe('nearestFiles', now(), inner.nearestFiles(scope, retrieval)),
    vectorsOf: (scope, file, model, max) => observe('vectorsOf', now(), inner.vectorsOf(scope, file, model, max)),
    holdsVectors: (scope, models) => observe('holdsVectors', now(), inner.holdsVectors(scope, models)),
    sampleVectors: (scope, model, max) => observe('sampleVectors', now(), inner.sampleVectors(scope, model, max)),
    frequenciesOf: (scope, stems) => observe('frequenciesOf', now(), inner.frequenciesOf(scope, stems)),
    nearestWords: (scope, questions) => observe('nearestWords', now(), inner.nearestWords(scope, questions)),
    fetch: (scope, keys) => observe('fetch', now(), inner.fetch(scope, keys)),
    languages: (scope) => observe('languages', now(), inner.languages(scope)),
    countOf: (scope, assetId, revision) => observe('countOf', now(), inner.countOf(scope, assetId, revision)),
    state: () => inner.state(),
    ping: () => inner.ping(),
    close: () => inner.close(),
  };
}

function measuredCounters(inner: Counters, observe: Observe): Counters {
  return {
    take: (key, limit, windowMs) => observe('take', performance.now(), inner.take(key, limit, windowMs)),
    shareAmong: (processes) => inner.shareAmong(processes),
    ping: () => inner.ping(),
    close: () => inner.close(),
  };
}

function measuredBlobs(inner: Blobs, observe: Observe): Blobs {
  return {
    write: (key, body) => observe('write', performance.now(), inner.write(key, body)),
    // The duration of a read depends mostly on its consumer.
    read: (key) => inner.read(key),
    exists: (key) => observe('exists', performance.now(), inner.exists(key)),
    remove: (prefixOrKey) => observe('remove', performance.now(), inner.remove(prefixOrKey)),
    list: (prefix) => inner.list(prefix),
    ping: () => inner.ping(),
    close: () => inner.close(),
  };
}

function measuredObjects(inner: Objects, observe: Observe): Objects {
  const now = (): number => performance.now();
  return {
    writePart: (content, part, body) => observe('writePart', now(), inner.writePart(content, part, body)),
    join: (content, parts) => observe('join', now(), inner.join(content, parts)),
    // The durations of these depend mostly on their consumers.
    read: (content, range, buffer) => inner.read(content, range, buffer),
    list: () => inner.list(),
    head: (content, part, bytes) => observe('head', now(), inner.head(content, part, bytes)),
    remove: (content) => observe('remove', now(), inner.remove(content)),
    removePart: (content, part) => observe('removePart', now(), inner.removePart(content, part)),
    partsOf: (content) => observe('partsOf', now(), inner.partsOf(content)),
    ping: () => inner.ping(),
    close: () => inner.close(),
  };
}

function measuredEmbeddings(inner: Embeddings, observe: Observe): Embeddings {
  return {
    get model() {
      return inner.model;
    },
    get absence() {
      return inner.absence;
    },
    ...(inner.further === undefined
      ? {}
      : { further: inner.further.map((model) => measuredEmbeddings(model, observe)) }),
    embed: (texts, purpose, owner) => observe(purpose, performance.now(), inner.embed(texts, purpose, owner)),
    ping: () => inner.ping(),
    close: () => inner.close(),
  };
}

function measuredSpeech(inner: Transcriber, observe: Observe): Transcriber {
  return {
    get model() {
      return inner.model;
    },
    get absence() {
      return inner.absence;
    },
    get notice() {
      return inner.notice ?? null;
    },
    transcribe: (sound) => observe('transcribe', performance.now(), inner.transcribe(sound)),
    ping: () => inner.ping(),
    close: () => inner.close(),
  };
}

function measuredChat(inner: Chat, observe: Observe): Chat {
  return {
    complete: (messages) => observe('complete', performance.now(), inner.complete(messages)),
    ping: () => inner.ping(),
    close: () => inner.close(),
  };
}
