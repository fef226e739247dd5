import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sampleRate, samplesOf, wavOf } from '../../adapters/speech/wav.ts';

/**
 * Number of chunks that a generated recording is cut into: tones separated by long silences, each with the same spoken
 * text.
 */
export const chunksPerRecording = 3;

const toneSeconds = 2;
/** Long enough for a cut: chunks end at a silence of three seconds. */
const silenceSeconds = 4;
/** The frequency identifies the recording, in Hz. */
const minFrequency = 300;
const frequencyStep = 20;
const loudness = 8000;

/** Length of a generated recording in milliseconds. */
export const recordingMilliseconds = chunksPerRecording * (toneSeconds + silenceSeconds) * 1000;
/** The number of distinguishable frequencies. */
const maxRecordings = 100;

/** Response time of the speech server for a chunk: long enough for a kill of its worker meanwhile. */
export const speechMilliseconds = 200;

/** A WAV file of tones with the recording's frequency. @throws for too large a number */
export function recordingOf(number: number): Uint8Array {
  if (number >= maxRecordings) throw new Error(`at most ${maxRecordings} recordings can be told apart`);
  const samples = new Int16Array((recordingMilliseconds / 1000) * sampleRate);
  for (let chunk = 0; chunk < chunksPerRecording; chunk++) {
    const start = chunk * (toneSeconds + silenceSeconds) * sampleRate;
    for (let at = 0; at < toneSeconds * sampleRate; at++)
      samples[start + at] = Math.round(
        loudness * Math.sin((2 * Math.PI * (minFrequency + frequencyStep * number) * at) / sampleRate),
      );
  }
  return wavOf(new Uint8Array(samples.buffer));
}

/** The number of the recording that a chunk belongs to, by the frequency of its tone. */
export function recordingNumberOf(samples: Uint8Array): number {
  const view = new DataView(samples.buffer, samples.byteOffset, samples.byteLength);
  let periods = 0;
  let isLow = true;
  for (let at = 0; at + 2 <= samples.byteLength; at += 2) {
    const value = view.getInt16(at, true);
    if (isLow && value > loudness / 2) {
      periods++;
      isLow = false;
    } else if (value < -loudness / 2) isLow = true;
  }
  return Math.round((periods / toneSeconds - minFrequency) / frequencyStep);
}

/** A speech server that returns the spoken text of generated recordings. */
export interface ChaosSpeech {
  url: string;
  /** Number of requests, including repeated ones. */
  requests(): number;
  close(): Promise<void>;
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Starts it, with OpenAI's interface for transcriptions. Each response takes the given time. */
export async function serveSpeech(
  spokenTextOf: (number: number) => string,
  milliseconds: number,
): Promise<ChaosSpeech> {
  let requests = 0;
  const server = createServer((request, response) => {
    void bytesOf(request)
      .then((body) => {
        const at = body.indexOf('RIFF', 0, 'latin1');
        if (at < 0) {
          response.writeHead(404).end();
          return;
        }
        requests++;
        const text = spokenTextOf(recordingNumberOf(samplesOf(body.subarray(at))));
        const transcription = {
          task: 'transcribe',
          language: 'english',
          duration: toneSeconds,
          text,
          segments: [{ id: 0, start: 0.5, end: 1.5, text }],
        };
        setTimeout(
          () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(transcription)),
          milliseconds,
        );
        // The client was killed.
      })
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
