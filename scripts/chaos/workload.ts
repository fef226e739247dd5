import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from './client.ts';
import type { DocumentSource, MarkedDocument } from './documents.ts';

/** A document that the API accepted. */
export interface AcceptedDocument {
  document: MarkedDocument;
  owner: ApiClient;
  assetId: string;
  jobId: string;
}

const content = '/api/content/v1';

/**
 * Registers documents one by one for the organizations in turn, evenly over the given time; `recordings` of them are
 * recordings, the first `films` of which have pictures of text. Each request has an Idempotency-Key and is repeated until
 * it is answered.
 */
export async function register(
  clients: readonly ApiClient[],
  source: DocumentSource,
  {
    count,
    words,
    milliseconds,
    recordings = 0,
    films = 0,
  }: { count: number; words: number; milliseconds: number; recordings?: number; films?: number },
): Promise<AcceptedDocument[]> {
  const accepted: Promise<AcceptedDocument>[] = [];
  const startedAt = Date.now();
  let recorded = 0;
  for (let index = 0; index < count; index++) {
    const owner = clients[index % clients.length];
    if (owner === undefined) throw new Error('there is no organization');
    // Spread evenly among the documents.
    const isRecording = Math.floor(((index + 1) * recordings) / count) > Math.floor((index * recordings) / count);
    if (isRecording) recorded++;
    const isFilm = isRecording && recorded <= films;
    const document = isFilm ? await source.makeFilm() : isRecording ? source.makeRecording() : source.make(words);
    accepted.push(registerOne(owner, document));
    const due = startedAt + ((index + 1) * milliseconds) / count;
    if (due > Date.now()) await pause(due - Date.now());
  }
  return Promise.all(accepted);
}

/** The number of recordings to register: 0, with a note in the log, if the program cannot read audio. */
export async function readableRecordings(
  client: ApiClient,
  wanted: number,
  log: (line: string) => void,
): Promise<number> {
  const offered = (await client.askUntilAnswered('GET', `${content}/capabilities`)).body['formats'];
  const reads =
    Array.isArray(offered) && offered.some((format: { kind: string }) => format.kind === 'audio') ? wanted : 0;
  if (reads < wanted) log('  NO RECORDINGS: ffmpeg is not installed');
  return reads;
}

async function registerOne(owner: ApiClient, document: MarkedDocument): Promise<AcceptedDocument> {
  const body = {
    externalId: document.name,
    filename: document.name,
    kind: document.kind,
    sourceUrl: document.url,
    sourceVersion: document.version,
    ...(document.kind === 'video' ? { extractContentFromVideoFrames: true } : {}),
  };
  const { status, body: answer } = await owner.askUntilAnswered('POST', `${content}/assets`, body, {
    'Idempotency-Key': document.marker,
  });
  if (status !== 202 || typeof answer['assetId'] !== 'string' || typeof answer['jobId'] !== 'string')
    throw new Error(`${document.name} was answered ${status} ${JSON.stringify(answer)}`);
  return { document, owner, assetId: answer['assetId'], jobId: answer['jobId'] };
}

/** Waits until every job has ended. Returns the number of jobs by final state. */
export async function awaitJobs(
  accepted: readonly AcceptedDocument[],
  milliseconds: number,
): Promise<Map<string, number>> {
  const deadline = Date.now() + milliseconds;
  const states = new Map<string, number>();
  let waiting = [...accepted];
  while (waiting.length > 0 && Date.now() < deadline) {
    const unfinished: AcceptedDocument[] = [];
    for (const item of waiting) {
      const { body } = await item.owner.askUntilAnswered('GET', `${content}/jobs/${item.jobId}`);
      const state = String(body['state']);
      if (state === 'ready' || state === 'failed' || state === 'cancelled') {
        const key = state === 'ready' ? state : `${state} ${String(body['errorCode'])}`;
        states.set(key, (states.get(key) ?? 0) + 1);
      } else unfinished.push(item);
    }
    waiting = unfinished;
    if (waiting.length > 0) await pause(250);
  }
  if (waiting.length > 0) states.set('unfinished', waiting.length);
  return states;
}
