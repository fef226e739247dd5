import { setTimeout as pause } from 'node:timers/promises';
import { backoff } from '../../mixins/work/transitions.ts';
import { systemRuntime } from '../../models/runtime.ts';
import type { FreshUploadView, UploadView } from '../../models/upload.ts';
import { CommandError, reasonOf, type AnswerBody, type Connection } from '../connection.ts';
import type { LocalFile } from './local-files.ts';
import { sendPart } from './send-part.ts';
import type { UnfinishedUploads } from './unfinished.ts';

/** Parts of one file that are sent at a time. */
const partsAtOnce = 3;
/** For how long a part is sent again. */
const retryMs = 10 * 60_000;

/** What is needed of an upload's answer. */
type StartedUpload = Pick<FreshUploadView, 'id' | 'partSize' | 'parts'>;

function uploadOf(answer: AnswerBody): StartedUpload {
  return {
    id: String(answer['id']),
    partSize: Number(answer['partSize']),
    parts: answer['parts'] as FreshUploadView['parts'],
  };
}

/** What an upload needs besides the file. */
export interface Uploading {
  connection: Connection;
  bucketId: string;
  unfinished: UnfinishedUploads;
  /** Starts an upload of the file; returns it with its parts. */
  start(file: LocalFile): Promise<AnswerBody>;
  /** Whether a file of one part is gone on with as well, because what is started for it must not be started twice. */
  keepsAll: boolean;
  /** Called with bytes that were sent, and with a negative number for those that have to be sent again. */
  sent: (bytes: number) => void;
  signal: AbortSignal;
}

/**
 * Uploads a file; what an interrupted command had sent of it is not sent again.
 * @returns what its completion was answered @throws CommandError
 */
export async function uploadFile(uploading: Uploading, file: LocalFile): Promise<AnswerBody> {
  const { connection, bucketId, unfinished } = uploading;
  const { upload, received } = await begin(uploading, file);
  uploading.sent(received.reduce((sum, { size }) => sum + size, 0));
  const arrived = new Set(received.map(({ number }) => number));
  const parts = upload.parts.filter(({ number }) => !arrived.has(number)).values();
  const tickets = new Tickets(connection, upload);
  const send = async (): Promise<void> => {
    for (const { number, size } of parts) {
      uploading.signal.throwIfAborted();
      const range = { path: file.path, from: (number - 1) * upload.partSize, bytes: size };
      await sendUntilTaken(uploading, tickets, number, range);
    }
  };
  await Promise.all(Array.from({ length: partsAtOnce }, send));
  uploading.signal.throwIfAborted();
  const completed = await connection.ask('POST', `/uploads/${upload.id}/complete`);
  await unfinished.forget(bucketId, file);
  return completed;
}

/** Starts an upload, or goes on with the one that was begun with the same file. */
async function begin(
  { connection, bucketId, unfinished, start, keepsAll }: Uploading,
  file: LocalFile,
): Promise<{ upload: StartedUpload; received: UploadView['received'] }> {
  const known = await unfinished.find(bucketId, file);
  if (known !== null) {
    try {
      const upload = uploadOf(await connection.ask('POST', `/uploads/${known}/renew`));
      const { received } = await connection.ask('GET', `/uploads/${known}`);
      return { upload, received: received as UploadView['received'] };
    } catch (error) {
      // It has ended: another one is started.
      if (!(error instanceof CommandError) || !/upload_(not_open|expired|not_found)/.test(error.message)) throw error;
      await unfinished.forget(bucketId, file);
    }
  }
  const upload = uploadOf(await start(file));
  if (keepsAll || upload.parts.length > 1) await unfinished.keep(bucketId, file, upload.id);
  return { upload, received: [] };
}

/** The addresses of an upload's parts, renewed when they have expired. */
class Tickets {
  readonly #connection: Connection;
  #upload: StartedUpload;
  #renewal: Promise<void> | null = null;

  constructor(connection: Connection, upload: StartedUpload) {
    this.#connection = connection;
    this.#upload = upload;
  }

  of(number: number): string {
    return this.#upload.parts[number - 1]?.url ?? '';
  }

  /** Fetches new addresses, once for all parts that ask meanwhile. */
  renew(): Promise<void> {
    this.#renewal ??= this.#connection
      .ask('POST', `/uploads/${this.#upload.id}/renew`)
      .then((renewed) => {
        this.#upload = uploadOf(renewed);
      })
      .finally(() => {
        this.#renewal = null;
      });
    return this.#renewal;
  }
}

async function sendUntilTaken(
  { sent, signal }: Uploading,
  tickets: Tickets,
  number: number,
  range: { path: string; from: number; bytes: number },
): Promise<void> {
  const deadline = performance.now() + retryMs;
  for (let attempt = 1; ; attempt += 1) {
    let bytes = 0;
    const count = (more: number): void => {
      bytes += more;
      sent(more);
    };
    let failure: CommandError;
    try {
      const { code, detail, retryable } = await sendPart(tickets.of(number), range, count, signal);
      if (code === null) return;
      failure = new CommandError(`part ${number} was answered ${code}: ${detail}`);
      if (code === 'ticket_expired') await tickets.renew();
      else if (!retryable) throw failure;
    } catch (error) {
      if (signal.aborted || error instanceof CommandError) throw error;
      failure = new CommandError(`part ${number} could not be sent: ${reasonOf(error)}`);
    }
    sent(-bytes);
    if (performance.now() > deadline) throw failure;
    await pause(backoff(attempt, 500, systemRuntime.random()), undefined, { signal });
  }
}
