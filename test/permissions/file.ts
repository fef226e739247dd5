import { randomUUID } from 'node:crypto';
import type { Accepted, JobView } from '../../models/api.ts';
import { content, type Client } from '../api/support/client.ts';
import type { Source } from '../api/support/source.ts';
import { all, History, type Moment, type Verdict } from './history.ts';
import { auditor, type Reader } from './readers.ts';

/** The permissions of a file. */
export interface Grants {
  open: boolean;
  principals: ReadonlySet<string>;
}

/** A change of a file. Changes that do not apply to its state are skipped. */
export type Step =
  | { do: 'register'; principals: string[] | null }
  | { do: 'permit'; open: boolean; principals: string[] }
  | { do: 'contest'; principals: [string[], string[]] }
  | { do: 'renew'; principals: string[] | null }
  | { do: 'reindex' }
  | { do: 'label'; label: number }
  | { do: 'remove' }
  | { do: 'wait' };

/** The common environment of the files of a test. */
export interface Environment {
  client: Client;
  source: Source;
  /** A word in every passage of every file. */
  word: string;
}

const finished = ['ready', 'cancelled', 'failed'];

function grantsOf(open: boolean, principals: readonly string[]): Grants {
  return { open, principals: new Set(open || principals.length === 0 ? [] : [...principals, auditor]) };
}

const sees = ({ open, principals }: Grants, reader: Reader): boolean =>
  open || (reader ?? []).some((name) => principals.has(name));

/** A file with its changes, and what must be visible of it at each moment. */
export class TestFile {
  readonly externalId: string;
  readonly passages: number;
  /** A recording is written into the stores, so it is never read again. */
  readonly recording: boolean;
  assetId: string | null = null;
  private readonly environment: Environment;
  private readonly registered = new History(false);
  private readonly indexed = new History(false);
  private readonly grants = new History<Grants>({ open: true, principals: new Set() });
  private readonly label = new History<number | null>(null);
  private jobs: { jobId: string; settle: () => void }[] = [];
  private version = 0;

  constructor(environment: Environment, externalId: string, passages: number, placed: Accepted | null) {
    this.environment = environment;
    this.externalId = externalId;
    this.passages = passages;
    this.recording = placed !== null;
    if (placed === null) return;
    this.assetId = placed.assetId;
    for (const history of [this.registered, this.indexed]) history.begin(true)();
  }

  /** Whether a reader must see it between two moments, must not, or may. */
  seen(
    reader: Reader,
    start: Moment,
    end: Moment,
    needs: 'registered' | 'indexed',
    label: number | null = null,
  ): Verdict {
    return all([
      this.registered.during(start, end),
      needs === 'indexed' ? this.indexed.during(start, end) : [true],
      this.grants.during(start, end).map((grants) => sees(grants, reader)),
      label === null ? [true] : this.label.during(start, end).map((value) => value === label),
    ]);
  }

  /** Whether the auditor may see it. */
  isAudited(): boolean {
    return sees(this.grants.latest, [auditor]);
  }

  async take(step: Step): Promise<void> {
    if (step.do === 'wait') return this.settled();
    if (this.assetId === null) return step.do === 'register' ? this.register(step.principals) : undefined;
    const path = `${content}/assets/${this.assetId}`;
    switch (step.do) {
      case 'permit':
        return this.permit(path, step.open, step.principals);
      case 'contest':
        return this.writeConcurrently(path, step.principals);
      case 'label': {
        const settle = this.label.begin(step.label);
        await this.environment.client.get(200, 'PUT', `${path}/metadata`, {
          body: { metadata: { label: step.label } },
        });
        return settle();
      }
      case 'renew':
        return this.recording ? this.correct(path) : this.register(step.principals);
      case 'reindex':
        return this.recording ? this.correct(path) : this.reindex(path);
      case 'remove':
        return this.recording ? undefined : this.remove(path);
    }
  }

  /** Registers it, or a version with the same words. */
  private async register(principals: string[] | null): Promise<void> {
    const { client, source, word } = this.environment;
    this.version += 1;
    const name = `${client.organizationId}-${this.externalId}-${this.version}.html`;
    // All files have the same texts: they differ in permissions only.
    const body = Array.from(
      { length: this.passages },
      (_, index) => `<h2>Part ${index + 1}</h2><p>the ${word} is here</p>`,
    ).join('\n');
    const isNew = this.assetId === null;
    const settles = isNew ? [this.registered.begin(true)] : [];
    const indexed = isNew ? this.indexed.begin(true) : () => undefined;
    if (isNew || principals !== null)
      settles.push(this.grants.begin(grantsOf(principals === null || principals.length === 0, principals ?? [])));
    if (isNew) settles.push(this.label.begin(null));
    const granted = principals === null ? {} : { principals: principals.length === 0 ? [] : [...principals, auditor] };
    const { assetId, jobId } = await client.register({
      externalId: this.externalId,
      filename: `${this.externalId}.html`,
      ...source.put(name, body, { etag: `"${name}"` }),
      ...granted,
    });
    for (const settle of settles) settle();
    if (!isNew) expect(assetId).toBe(this.assetId);
    this.assetId = assetId;
    this.jobs.push({ jobId, settle: indexed });
  }

  private async permit(path: string, open: boolean, principals: readonly string[]): Promise<void> {
    const grants = grantsOf(open, principals);
    const settle = this.grants.begin(grants);
    await this.environment.client.get(200, 'PUT', `${path}/permissions`, {
      body: open ? { mode: 'open' } : { mode: 'restricted', principals: [...grants.principals] },
    });
    settle();
  }

  /** Two clients write concurrently; the result is requested afterwards. */
  private async writeConcurrently(path: string, both: readonly (readonly string[])[]): Promise<void> {
    const { client } = this.environment;
    const candidates = both.map((principals) => grantsOf(false, principals));
    const settles = candidates.map((grants) => this.grants.begin(grants));
    await Promise.all(
      candidates.map((grants) =>
        client.get(200, 'PUT', `${path}/permissions`, {
          body: { mode: 'restricted', principals: [...grants.principals] },
        }),
      ),
    );
    const { principals } = await client.get<{ principals: string[] }>(200, 'GET', `${path}/permissions`);
    const last = candidates.find(
      (grants) =>
        principals.length === grants.principals.size && principals.every((name) => grants.principals.has(name)),
    );
    expect(last).toBeDefined();
    const settle = this.grants.begin(last!);
    for (const each of [...settles, settle]) each();
  }

  private async reindex(path: string): Promise<void> {
    const { status, body } = await this.environment.client.ask<Accepted>('POST', `${path}/reindex`, {
      headers: { 'Idempotency-Key': randomUUID() },
    });
    // It may still be in progress.
    expect([202, 409]).toContain(status);
    if (status === 202) this.jobs.push({ jobId: body.jobId, settle: () => undefined });
  }

  /** A new revision of a recording by an empty correction of its transcript. */
  private async correct(path: string): Promise<void> {
    const { client } = this.environment;
    const { latestRevision } = await client.get<{ latestRevision: number }>(200, 'GET', path);
    const { status, body } = await client.ask<Accepted>('PATCH', `${path}/transcript`, {
      body: { segments: [] },
      headers: { 'If-Match': String(latestRevision) },
    });
    expect([202, 409]).toContain(status);
    if (status === 202) this.jobs.push({ jobId: body.jobId, settle: () => undefined });
  }

  private async remove(path: string): Promise<void> {
    const settles = [this.registered.begin(false), this.indexed.begin(false)];
    await this.environment.client.get(202, 'DELETE', path);
    // What was not indexed yet never will be.
    for (const settle of [...this.jobs.map((job) => job.settle), ...settles]) settle();
    this.assetId = null;
    this.jobs = [];
  }

  /** Waits until no job is running, so the words of the last job are found. */
  async settled(): Promise<void> {
    for (const { jobId } of this.jobs) {
      const { state } = (await this.environment.client.reaches(jobId, ...finished)) satisfies JobView;
      expect(state).not.toBe('failed');
    }
    for (const { settle } of this.jobs) settle();
    this.jobs = [];
  }
}
