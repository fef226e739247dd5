import { randomUUID } from 'node:crypto';
import type { Runtime } from '../../models/runtime.ts';
import type { Answer, ApiClient } from './client.ts';
import type { DocumentSource, MarkedDocument } from './documents.ts';

const content = '/api/content/v1';

/** The expected state of a file in the library, according to the last responses of the API. */
export interface ChangedFile {
  externalId: string;
  assetId: string;
  /** The job of the latest revision. */
  jobId: string;
  document: MarkedDocument;
  /** Its former contents. */
  earlier: MarkedDocument[];
  mode: 'open' | 'restricted';
  principals: string[];
  metadata: { [name: string]: string };
  isRemoved: boolean;
  /** Whether its latest job was cancelled: then a search finds the previous revision, if there was one. */
  isCancelled: boolean;
  /** Whether a change is in progress. */
  isBusy: boolean;
}

/** Readers that files are granted to. */
export const readers: readonly string[] = ['editor', 'teacher', 'student'];
/** A reader that no file is granted to. */
export const stranger = 'stranger';

/** Number of words of a document. */
const words = 60;
/**
 * Number of files in an import, and the maximum number of files while enough of them can still be changed: the final
 * check searches for each.
 */
const [importedTogether, maxFiles] = [12, 400];

type Change = (file: ChangedFile) => Promise<void>;

/**
 * Changes a library in every way that the API offers, one change of a file at a time, and records the expected result.
 * Each request is repeated until it is answered. Whatever was answered must hold permanently.
 */
export class ChangedLibrary {
  readonly files: ChangedFile[] = [];
  /** Number of answered changes by kind. */
  readonly counts: { [change: string]: number } = {};
  /** Descriptions of faults. */
  readonly faults: string[] = [];
  readonly #client: ApiClient;
  readonly #source: DocumentSource;
  readonly #runtime: Pick<Runtime, 'random'>;
  readonly #changes: readonly Change[];

  constructor(client: ApiClient, source: DocumentSource, runtime: Pick<Runtime, 'random'>) {
    this.#client = client;
    this.#source = source;
    this.#runtime = runtime;
    // Repeated entries are chosen more often.
    this.#changes = [
      this.#replace,
      this.#replace,
      this.#replace,
      this.#restrict,
      this.#restrict,
      this.#label,
      this.#remove,
      this.#reindex,
      this.#cancel,
    ].map((change) => change.bind(this));
  }

  /** Makes one change of a random kind, or imports files. */
  async changeAny(): Promise<void> {
    const free = this.files.filter((file) => !file.isBusy && !file.isRemoved);
    const file = this.#randomOf(free);
    const change = this.#randomOf(this.#changes);
    const isImport = free.length < importedTogether || (this.files.length < maxFiles && this.#randomOf(12) === 0);
    if (file === undefined || change === undefined || isImport) {
      await this.#import();
      return;
    }
    file.isBusy = true;
    try {
      await change(file);
    } finally {
      file.isBusy = false;
    }
  }

  /** Searches for some restricted files as the stranger. The files are not changed meanwhile. */
  async searchRestrictedAsStranger(count: number): Promise<void> {
    const restricted = this.files
      .filter(({ mode, isBusy, isRemoved }) => mode === 'restricted' && !isBusy && !isRemoved)
      .slice(0, count);
    for (const file of restricted) file.isBusy = true;
    for (const file of restricted) {
      await this.#searchAsStranger(file);
      file.isBusy = false;
    }
  }

  /** The files that a search for the document's marker finds for these principals. */
  async foundBy(document: MarkedDocument, principals: string[] | null): Promise<string[]> {
    const { status, body } = await this.#client.askUntilAnswered('POST', `${content}/search`, {
      query: document.marker,
      limit: 50,
      ...(principals === null ? {} : { principals }),
    });
    if (status !== 200 || !Array.isArray(body['items']))
      throw new Error(`a search was answered ${status} ${JSON.stringify(body)}`);
    return (body['items'] as { assetId: string; matchType: string }[])
      .filter(({ matchType }) => matchType !== 'semantic')
      .map(({ assetId }) => assetId);
  }

  /** Records a fault. */
  fault(words: string): void {
    this.faults.push(words);
  }

  async #searchAsStranger({ assetId, document }: ChangedFile): Promise<void> {
    if ((await this.foundBy(document, [stranger])).includes(assetId)) this.fault(`a stranger saw ${assetId}`);
  }

  async #import(): Promise<void> {
    const made = Array.from({ length: importedTogether }, () => ({
      externalId: randomUUID(),
      document: this.#source.make(words),
    }));
    const { status, body } = await this.#ask(
      'import',
      'POST',
      '/imports',
      { assets: made.map(({ externalId, document }) => registration(externalId, document)) },
      true,
    );
    const results = Array.isArray(body['results']) ? (body['results'] as { assetId?: string; jobId?: string }[]) : [];
    if (status !== 202 || results.length !== made.length)
      this.fault(`an import was answered ${status} ${JSON.stringify(body)}`);
    for (const [index, { assetId, jobId }] of results.entries()) {
      const own = made[index];
      if (assetId === undefined || jobId === undefined || own === undefined)
        this.fault(`an imported file was answered ${JSON.stringify(results[index])}`);
      else
        this.files.push({
          ...own,
          assetId,
          jobId,
          earlier: [],
          mode: 'open',
          principals: [],
          metadata: {},
          isRemoved: false,
          isCancelled: false,
          isBusy: false,
        });
    }
  }

  async #replace(file: ChangedFile): Promise<void> {
    const document = this.#source.make(words);
    const answer = await this.#ask('replace', 'POST', '/assets', registration(file.externalId, document), true);
    if (!this.#isAnswered('replacement', answer, 202)) return;
    if (answer.body['assetId'] !== file.assetId)
      this.fault(`a new version of ${file.assetId} became ${String(answer.body['assetId'])}`);
    file.earlier.push(file.document);
    Object.assign(file, { document, jobId: String(answer.body['jobId']), isCancelled: false });
  }

  async #restrict(file: ChangedFile): Promise<void> {
    const mode = this.#randomOf(3) === 0 ? 'open' : 'restricted';
    const principals = mode === 'open' ? [] : [this.#randomOf(readers) ?? stranger];
    if (
      !this.#isAnswered(
        'permissions',
        await this.#ask('permissions', 'PUT', `/assets/${file.assetId}/permissions`, { mode, principals }),
        200,
      )
    )
      return;
    Object.assign(file, { mode, principals });
    if (mode === 'restricted') await this.#searchAsStranger(file);
  }

  async #label(file: ChangedFile): Promise<void> {
    const metadata = { shelf: String(this.#randomOf(5)) };
    if (
      this.#isAnswered(
        'metadata',
        await this.#ask('metadata', 'PUT', `/assets/${file.assetId}/metadata`, { metadata }),
        200,
      )
    )
      file.metadata = metadata;
  }

  async #remove(file: ChangedFile): Promise<void> {
    // If the request was repeated after a kill, the asset may already be gone.
    if (!this.#isAnswered('removal', await this.#ask('remove', 'DELETE', `/assets/${file.assetId}`), 202, 404)) return;
    file.isRemoved = true;
    if ((await this.foundBy(file.document, file.principals)).includes(file.assetId))
      this.fault(`${file.assetId} was found after its removal`);
  }

  async #reindex(file: ChangedFile): Promise<void> {
    const answer = await this.#ask('reindex', 'POST', `/assets/${file.assetId}/reindex`, undefined, true);
    // Work on the file is in progress.
    if (answer.status === 409 && answer.body['code'] === 'asset_busy') return;
    if (this.#isAnswered('reindexing', answer, 202))
      Object.assign(file, { jobId: String(answer.body['jobId']), isCancelled: false });
  }

  async #cancel(file: ChangedFile): Promise<void> {
    const answer = await this.#ask('cancel', 'POST', `/jobs/${file.jobId}/cancel`);
    if (!this.#isAnswered('cancellation', answer, 202, 409)) return;
    // 409: the job has finished, or an earlier request cancelled it and its response was lost.
    file.isCancelled = answer.status === 202 || (await this.jobStateOf(file)) === 'cancelled';
  }

  async jobStateOf({ jobId }: ChangedFile): Promise<string> {
    return String((await this.#client.askUntilAnswered('GET', `${content}/jobs/${jobId}`)).body['state']);
  }

  /** The metadata in the API's response; null if there is none. */
  async metadataOf({ assetId }: ChangedFile): Promise<unknown> {
    const { status, body } = await this.#client.askUntilAnswered('GET', `${content}/assets/${assetId}/metadata`);
    return status === 200 ? body['metadata'] : null;
  }

  /** Number of files according to the API. */
  async total(): Promise<number> {
    return Number((await this.#client.askUntilAnswered('GET', `${content}/assets?limit=1`)).body['total']);
  }

  async #ask(change: string, method: string, path: string, body?: object, isKeyed = false): Promise<Answer> {
    const answer = await this.#client.askUntilAnswered(
      method,
      content + path,
      body,
      isKeyed ? { 'Idempotency-Key': randomUUID() } : {},
    );
    this.counts[change] = (this.counts[change] ?? 0) + 1;
    return answer;
  }

  #isAnswered(change: string, { status, body }: Answer, ...expected: number[]): boolean {
    if (expected.includes(status)) return true;
    this.fault(`a ${change} was answered ${status} ${JSON.stringify(body)}`);
    return false;
  }

  /** A random item of a list, or a random integer below the given one. */
  #randomOf(count: number): number;
  #randomOf<T>(list: readonly T[]): T | undefined;
  #randomOf<T>(from: number | readonly T[]): number | T | undefined {
    const index = Math.floor(this.#runtime.random() * (typeof from === 'number' ? from : from.length));
    return typeof from === 'number' ? index : from[index];
  }
}

function registration(externalId: string, { name, url, version }: MarkedDocument): object {
  return { externalId, filename: name, kind: 'document', sourceUrl: url, sourceVersion: version };
}
