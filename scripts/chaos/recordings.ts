import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sampleRate, samplesOf, wavOf } from '../../adapters/speech/wav.ts';

/** Pieces into which a made recording is cut: tones that long silences part. In each, the same is heard. */
export const piecesOfRecording = 3;

const toneSeconds = 2;
/** The cutter ends a piece at a silence of three seconds. */
const silenceSeconds = 4;
/** The tone tells which recording it is. */
const lowest = 300;
const step = 20;
const loudness = 8000;

/** Length of a made recording in milliseconds. */
export const recordingMilliseconds = piecesOfRecording * (toneSeconds + silenceSeconds) * 1000;
/** More recordings have no tone of their own. */
const maxRecordings = 100;

/** How long the speech server takes for a piece: long enough for its worker to be killed in the middle. */
export const speechMilliseconds = 200;

/** A WAV file of tones of a height that no other recording has. @throws where there are too many recordings */
export function recordingOf(number: number): Uint8Array {
  if (number >= maxRecordings) throw new Error(`no more than ${maxRecordings} recordings can be told from each other`);
  const samples = new Int16Array((recordingMilliseconds / 1000) * sampleRate);
  for (let piece = 0; piece < piecesOfRecording; piece++) {
    const from = piece * (toneSeconds + silenceSeconds) * sampleRate;
    for (let at = 0; at < toneSeconds * sampleRate; at++)
      samples[from + at] = Math.round(loudness * Math.sin((2 * Math.PI * (lowest + step * number) * at) / sampleRate));
  }
  return wavOf(new Uint8Array(samples.buffer));
}

/** Which recording a piece is of: its tone's height is that of its waves in the time of a tone. */
export function numberOf(samples: Uint8Array): number {
  const view = new DataView(samples.buffer, samples.byteOffset, samples.byteLength);
  let waves = 0;
  let isLow = true;
  for (let at = 0; at + 2 <= samples.byteLength; at += 2) {
    const value = view.getInt16(at, true);
    if (isLow && value > loudness / 2) {
      waves++;
      isLow = false;
    } else if (value < -loudness / 2) isLow = true;
  }
  return Math.round((waves / toneSeconds - lowest) / step);
}

/** A speech server on this machine that hears what is said in each made recording. */
export interface ChaosSpeech {
  url: string;
  /** Pieces that it was asked for, those asked for again counted again. */
  asked(): number;
  close(): Promise<void>;
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/**
 * Starts it, with the interface of OpenAI's transcriptions; `saidIn` says what is heard in each piece of a recording.
 * Each answer takes some time.
 */
export async function serveSpeech(saidIn: (number: number) => string, milliseconds: number): Promise<ChaosSpeech> {
  let asked = 0;
  const server = createServer((request, response) => {
    void bytesOf(request)
      .then((body) => {
        const at = body.indexOf('RIFF', 0, 'latin1');
        if (at < 0) {
          response.writeHead(404).end();
          return;
        }
        asked++;
        const text = saidIn(numberOf(samplesOf(body.subarray(at))));
        const said = {
          task: 'transcribe',
          language: 'english',
          duration: toneSeconds,
          text,
          segments: [{ id: 0, start: 0.5, end: 1.5, text }],
        };
        setTimeout(
          () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said)),
          milliseconds,
        );
        // Who asked was killed.
      })
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
