import { parentPort } from 'node:worker_threads';
import type { Passage } from '../../../models/passage.ts';
import { yieldThreadToRequests } from '../../../models/yield-to-requests.ts';
import { revisionText, type TextBlobs } from '../revision-text.ts';
import { Mailbox } from './mailbox.ts';
import { ahead, type FromThread, type ToThread } from './messages.ts';

/*
 * The body of the thread that cuts long texts: several at a time, each as fast as its passages are taken. It reads no
 * store itself; pieces of the blobs are sent to it as it asks for them.
 */

interface Cut {
  pieces: Map<string, Mailbox<Uint8Array | null>>;
  /** One for each batch that may be sent. */
  room: Mailbox<null>;
}

const port = parentPort;
if (port === null) throw new Error('this file is the body of a worker thread');
yieldThreadToRequests();
const cuts = new Map<number, Cut>();
const tell = (answer: FromThread): void => port.postMessage(answer);

function piecesOf(cut: Cut, key: string): Mailbox<Uint8Array | null> {
  const known = cut.pieces.get(key);
  if (known !== undefined) return known;
  const made = new Mailbox<Uint8Array | null>();
  cut.pieces.set(key, made);
  return made;
}

function blobsOf(id: number, cut: Cut): TextBlobs {
  return {
    async *read(key) {
      const pieces = piecesOf(cut, key);
      for (let each = 0; each < ahead; each += 1) tell({ kind: 'read', id, key });
      for (let piece = await pieces.take(); piece !== null; piece = await pieces.take()) {
        tell({ kind: 'read', id, key });
        yield piece;
      }
    },
  };
}

async function run({ id, text, size }: Extract<ToThread, { kind: 'cut' }>, cut: Cut): Promise<void> {
  let bytes = 0;
  let passages: Passage[] = [];
  const send = async (isLast: boolean): Promise<void> => {
    await cut.room.take();
    tell({ kind: 'passages', id, passages, bytes, isLast });
    passages = [];
  };
  for await (const passage of revisionText(blobsOf(id, cut), text, (read) => { bytes = read; })) {
    passages.push(passage);
    if (passages.length === size) await send(false);
  }
  await send(true);
}

function begin(message: Extract<ToThread, { kind: 'cut' }>): void {
  const { id } = message;
  const cut: Cut = { pieces: new Map(), room: new Mailbox() };
  cuts.set(id, cut);
  for (let each = 0; each < ahead; each += 1) cut.room.push(null);
  run(message, cut).catch((error: unknown) => {
    // Of a cut that was stopped nobody wants to hear.
    if (cuts.has(id)) tell({ kind: 'failed', id, ...(error instanceof Error ? { name: error.name, message: error.message } : { name: 'Error', message: String(error) }) });
  }).finally(() => cuts.delete(id));
}

function stop(id: number): void {
  const cut = cuts.get(id);
  if (cut === undefined) return;
  cuts.delete(id);
  const stopped = new Error('the cut was stopped');
  for (const pieces of cut.pieces.values()) pieces.fail(stopped);
  cut.room.fail(stopped);
}

port.on('message', (message: ToThread) => {
  if (message.kind === 'end') {
    for (const id of [...cuts.keys()]) stop(id);
    port.close();
    return;
  }
  if (message.kind === 'cut') begin(message);
  const cut = cuts.get(message.id);
  // Pieces of a cut that was stopped may be on their way still.
  if (cut === undefined) return;
  if (message.kind === 'piece') piecesOf(cut, message.key).push(message.bytes);
  else if (message.kind === 'missing') piecesOf(cut, message.key).fail(Object.assign(new Error('no such blob'), { name: 'BlobNotFound' }));
  else if (message.kind === 'taken') cut.room.push(null);
  else if (message.kind === 'stop') stop(message.id);
});
