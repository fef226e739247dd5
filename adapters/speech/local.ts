import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { unlessAborted } from '../../models/unless-aborted.ts';
import { readPreparation } from './preparation.ts';
import { TranscriptionFailure, type SpeechNotice, type Transcriber } from './port.ts';

/** What the local transcriber is opened with. */
export interface LocalTranscriberOptions {
  /** Folder of the speech model, whether it is there or not. */
  folder: string;
  /** Opens the model of the folder. */
  openModel(): Promise<Transcriber>;
  /** Opens what transcribes where there is no model. */
  openSubstitute(): Promise<Transcriber>;
  /** Milliseconds between two looks at the set-up. */
  pollMs?: number;
  log: Pick<Logger, 'info' | 'warn'>;
}

const defaultPollMs = 1000;
const closed = (): TranscriptionFailure =>
  new TranscriptionFailure('model_unavailable', 'temporary', 'the transcriber is closed');

/** The model while it is being fetched: recordings wait for it. */
const expectedModel = { id: 'whisper-base', languages: null };

/**
 * Transcribes on this machine: with the speech model as soon as the set-up has fetched it, and with a substitute if the
 * model is not available. While it is being fetched, `transcribe` waits.
 */
export class LocalTranscriber implements Transcriber {
  readonly #options: LocalTranscriberOptions;
  readonly #closing = new AbortController();
  #inner: Transcriber | null = null;
  #reason: string | null = null;
  #arrival: Promise<Transcriber> | null = null;

  private constructor(options: LocalTranscriberOptions) {
    this.#options = options;
  }

  /** Opens the model or its substitute, unless the set-up is fetching the model. */
  static async open(options: LocalTranscriberOptions): Promise<LocalTranscriber> {
    const transcriber = new LocalTranscriber(options);
    if (!(await transcriber.#look())) {
      options.log.info({ folder: options.folder }, 'the speech model is being fetched: recordings wait for it');
      transcriber.#arrival = transcriber.#await();
      // The failure reaches the recordings; this promise may have no reader.
      transcriber.#arrival.catch(() => undefined);
    }
    return transcriber;
  }

  /** Opens what is there; false while the set-up is fetching the model. */
  async #look(): Promise<boolean> {
    const { folder, openModel, openSubstitute, log } = this.#options;
    const preparation = readPreparation(folder);
    if (existsSync(join(folder, 'model.json'))) {
      try {
        this.#inner = await openModel();
        return true;
      } catch (error) {
        this.#reason = `the speech model in ${folder} cannot be used`;
        log.warn({ err: error }, 'the speech model cannot be used');
      }
    } else if (preparation?.state === 'running') return false;
    this.#reason ??= `there is no speech model (${preparation?.detail ?? 'npm start fetches it'})`;
    this.#inner = await openSubstitute();
    return true;
  }

  async #await(): Promise<Transcriber> {
    for (;;) {
      await unlessAborted(
        pause(this.#options.pollMs ?? defaultPollMs, undefined, { ref: false }),
        this.#closing.signal,
      );
      if ((await this.#look()) && this.#inner !== null) {
        this.#options.log.info({ model: this.#inner.model?.id }, 'speech is transcribed');
        if (this.#closing.signal.aborted) await this.#inner.close();
        return this.#inner;
      }
    }
  }

  get model(): Transcriber['model'] {
    return this.#inner === null ? expectedModel : this.#inner.model;
  }

  get absence(): string | null {
    const absence = this.#inner?.absence ?? null;
    return absence === null || this.#reason === null ? absence : `${this.#reason}; ${absence}`;
  }

  get notice(): SpeechNotice | null {
    if (this.#inner === null) {
      const detail = readPreparation(this.#options.folder)?.detail ?? 'fetching the speech model';
      return { state: 'preparing', detail: `recordings wait for the speech model: ${detail}` };
    }
    return this.#reason === null ? null : { state: 'substitute', detail: this.#reason };
  }

  async transcribe(sound: Parameters<Transcriber['transcribe']>[0]): ReturnType<Transcriber['transcribe']> {
    const inner: Transcriber =
      this.#inner ?? (await unlessAborted(this.#arrival ?? Promise.reject<Transcriber>(closed()), sound.signal));
    const languages = inner.model?.languages ?? null;
    // The substitute was opened after the recording began; the next attempt finds that it does not know the language.
    if (inner.model !== null && languages !== null && sound.language !== null && !languages.includes(sound.language))
      throw new TranscriptionFailure('model_unavailable', 'temporary', `${inner.model.id} does not know the language`);
    return inner.transcribe(sound);
  }

  async ping(): Promise<void> {
    await this.#inner?.ping();
  }

  async close(): Promise<void> {
    this.#closing.abort(closed());
    await this.#inner?.close();
  }
}
