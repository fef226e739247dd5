import { setTimeout as pause } from 'node:timers/promises';
import type { Configuration } from '../../models/configuration/configuration.ts';
import { CommandError, deliveryPortOf, type Connection } from '../connection.ts';
import type { ProgressBar } from '../progress.ts';
import { printable } from '../terminal.ts';
import { heightsText, readVideo, type VideoProgress } from './lookups.ts';

const everyMs = 500;

/** What following a video needs. */
export interface Following {
  connection: Connection;
  configuration: Configuration;
  libraryId: string;
  /** Name of the file, for the operator. */
  name: string;
  bar: ProgressBar;
  signal: AbortSignal;
}

/**
 * Waits until a video is ready, and prints when it can be played, with its address.
 * @throws CommandError if it fails
 */
export async function followVideo(following: Following, videoId: string): Promise<void> {
  const { connection, bar, signal, name } = following;
  const startedAt = performance.now();
  const shown = new Set<VideoProgress['status']>();
  for (;;) {
    signal.throwIfAborted();
    const video = await readVideo(connection, videoId);
    const { status, errorCode } = video;
    const seconds = (performance.now() - startedAt) / 1000;
    if (status === 'failed') throw new CommandError(errorCode ?? status);
    if ((status === 'playable' || status === 'ready') && !shown.has(status)) {
      bar.clear();
      const address = shown.size === 0 ? await addressOf(following, videoId) : null;
      console.log(lineOf(name, video, seconds) + (address === null ? '' : `\n    ${address}`));
      shown.add(status);
    }
    if (status === 'ready') return;
    bar.note(`${printable(name)}: ${status}, ${Math.round(seconds)} s`);
    await pause(everyMs, undefined, { signal });
  }
}

function lineOf(name: string, { id, status, renditions }: VideoProgress, seconds: number): string {
  return `${printable(name)} is ${status} after ${seconds.toFixed(1)} s (${heightsText(renditions)}), video ${id}`;
}

/** Where players find the video; null where the library binds its links to addresses. */
async function addressOf({ connection, libraryId, configuration }: Following, videoId: string): Promise<string | null> {
  try {
    const { nativeUrl } = await connection.ask('POST', '/sign', { bucketId: libraryId, videoId });
    const port = await deliveryPortOf(configuration);
    // On a single machine nothing ends TLS for `*.localhost`.
    return String(nativeUrl).replace(/^https:\/\/([^/]+\.localhost)\//, `http://$1:${port}/`);
  } catch (error) {
    if (error instanceof CommandError) return null;
    throw error;
  }
}
