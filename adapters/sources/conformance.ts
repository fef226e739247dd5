import type { ReadableAddress, Source, SourceClient, SourceEntry, SourcePage } from './port.ts';

/** A source under test, with functions that change its files. */
export interface SourceUnderTest {
  /**
   * Opens the source; with a fault, one with a wrong credential, a missing bucket, or a server that does not answer.
   */
  open(fault?: 'credential' | 'absent' | 'temporary'): Promise<Source>;
  /** Stores a file, or a new version of it. */
  put(name: string, content: string): Promise<void>;
  /** Adds files in bulk, so that a listing has several pages. */
  putMany(names: readonly string[]): Promise<void>;
  remove(name: string): Promise<void>;
  /** Reads an address as the extractor does: follows redirects where the source uses them. */
  read(address: ReadableAddress): Promise<{ content: string; etag: string | null }>;
  /** Secrets that a listing must not contain. */
  secrets: readonly string[];
  stop(): Promise<void>;
}

/** Reads addresses with a client, following one redirect where the source uses them. Only the body of a 200 is read. */
export function addressReader(client: SourceClient): SourceUnderTest['read'] {
  return async ({ address, redirects }) => {
    const first = await client.request(address, { maxBytes: 10_000_000 });
    const location = first.header('location');
    const answer =
      redirects && first.status === 302 && location !== null
        ? await client.request(location, { maxBytes: 10_000_000 })
        : first;
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body) pieces.push(piece);
    return answer.status === 200
      ? { content: Buffer.concat(pieces).toString(), etag: answer.header('etag') }
      : { content: '', etag: null };
  };
}

/** Lists everything. */
export async function listAll(source: Source, from: string | null = null): Promise<SourceEntry[]> {
  const entries: SourceEntry[] = [];
  for (let cursor = from; ;) {
    const page = await source.list(cursor, new AbortController().signal);
    entries.push(...page.entries);
    if (page.next === null) return entries;
    cursor = page.next;
  }
}

const inOrder = (entries: readonly SourceEntry[]): string[] =>
  entries.map(({ externalId }) => externalId).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

/** What every source must do, as jest tests. */
export function sourcesConformance(name: string, start: () => Promise<SourceUnderTest>): void {
  describe(`a source: ${name}`, () => {
    const signal = new AbortController().signal;
    let subject: SourceUnderTest;
    let source: Source;
    beforeAll(async () => {
      subject = await start();
      source = await subject.open();
    }, 600_000);
    afterAll(async () => {
      await source.close();
      await subject.stop();
    });
    const named = async (filename: string): Promise<SourceEntry> => {
      const found = (await listAll(source)).filter((entry) => entry.filename === filename);
      if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} files are called ${filename}`);
      return found[0];
    };

    it('lists nothing for an empty source', async () => {
      expect(await listAll(source)).toEqual([]);
    });

    it('lists a file, and returns its address', async () => {
      await subject.put('Rückmeldung + 100 % (final)? #1 & more.txt', 'what is in it');
      const entry = await named('Rückmeldung + 100 % (final)? #1 & more.txt');
      expect(entry).toMatchObject({ bytes: 13, sourceVersion: expect.stringMatching(/^(W\/)?".+"$/) });
      expect(URL.canParse(entry.sourceUrl)).toBe(true);
      expect(new URL(entry.sourceUrl).search).toBe('');
      const address = await source.addressOf(entry, signal);
      const { content, etag } = await subject.read(address);
      expect(content).toBe('what is in it');
      if (!address.verified) expect(etag).toBe(entry.sourceVersion);
      expect(new URL(address.address).href).toBe(address.address);
    });

    it('changes the version with the content, and only then', async () => {
      await subject.put('changing.txt', 'one');
      const first = await named('changing.txt');
      expect(await named('changing.txt')).toEqual(first);
      await subject.put('changing.txt', 'another');
      const second = await named('changing.txt');
      expect(second.externalId).toBe(first.externalId);
      expect(second.sourceVersion).not.toBe(first.sourceVersion);
      const outcome = await source.addressOf(first, signal).then(
        async (address) =>
          subject.read(address).then(({ etag }) => (etag === first.sourceVersion ? 'the first' : 'changed')),
        (error: unknown) => error,
      );
      expect(outcome === 'changed' ? { reason: 'changed' } : outcome).toMatchObject({ reason: 'changed' });
    });

    it('has equal content ids for equal content, if any', async () => {
      await subject.put('twin-1.txt', 'the same words');
      await subject.put('twin-2.txt', 'the same words');
      await subject.put('other.txt', 'not those words');
      const [one, two, other] = [await named('twin-1.txt'), await named('twin-2.txt'), await named('other.txt')];
      expect(one.contentId).toBe(two.contentId);
      if (one.contentId !== null) expect(other.contentId).not.toBe(one.contentId);
    });

    it('does not list a removed file', async () => {
      await subject.put('gone.txt', 'soon');
      const entry = await named('gone.txt');
      await subject.remove('gone.txt');
      expect((await listAll(source)).map(({ filename }) => filename)).not.toContain('gone.txt');
      const outcome = await source.addressOf(entry, signal).then(
        (address) => subject.read(address),
        (error: unknown) => error,
      );
      expect(
        outcome instanceof Error ? { absent: 'reason' in outcome && outcome.reason === 'absent' } : outcome,
      ).toMatchObject(outcome instanceof Error ? { absent: true } : { etag: null });
    });

    it('lists many files in order, from any page, also in a source that is opened later', async () => {
      await subject.putMany(Array.from({ length: 2500 }, (_, at) => `many-${at}.txt`));
      const pages: SourcePage[] = [];
      const cursors: (string | null)[] = [null];
      for (let cursor: string | null = null; ;) {
        const page: SourcePage = await source.list(cursor, signal);
        pages.push(page);
        if (page.next === null) break;
        cursor = page.next;
        cursors.push(cursor);
      }
      const entries = pages.flatMap((page) => page.entries);
      expect(entries.filter(({ filename }) => filename.startsWith('many-'))).toHaveLength(2500);
      expect(entries.map(({ externalId }) => externalId)).toEqual(inOrder(entries));
      expect(new Set(entries.map(({ externalId }) => externalId)).size).toBe(entries.length);
      expect(pages.length).toBeGreaterThanOrEqual(3);
      const again = await subject.open();
      for (const [at, cursor] of cursors.entries()) {
        expect(await listAll(again, cursor)).toEqual(pages.slice(at).flatMap((page) => page.entries));
      }
      await again.close();
      const listing = JSON.stringify([entries, cursors]);
      for (const secret of subject.secrets) expect(listing.includes(secret)).toBe(false);
    }, 600_000);

    it.each(['credential', 'absent', 'temporary'] as const)(
      'fails with the reason %s, without a secret in the error',
      async (reason) => {
        const faulty = await subject.open(reason);
        const error: unknown = await faulty.list(null, signal).then(
          () => null,
          (failure: unknown) => failure,
        );
        expect(error).toMatchObject({ name: 'SourceError', reason });
        for (const secret of subject.secrets)
          expect(
            error instanceof Error &&
              `${error.message} ${String(error.cause)} ${JSON.stringify(error)}`.includes(secret),
          ).toBe(false);
        await faulty.close();
      },
    );

    it('has no address for a file of another source', async () => {
      const entry = await named('other.txt');
      for (const externalId of [
        '',
        'other.txt',
        entry.externalId.replace(/^\w+:/, 'other:'),
        entry.externalId.replace(/:[^/]+\//, ':elsewhere.example/'),
      ]) {
        await expect(source.addressOf({ ...entry, externalId }, signal)).rejects.toMatchObject({
          name: 'SourceError',
          reason: 'refused',
        });
      }
    });

    it('rejects with the reason of the aborted signal', async () => {
      const reason = new Error('called off');
      await expect(source.list(null, AbortSignal.abort(reason))).rejects.toBe(reason);
      const control = new AbortController();
      const listing = source.list(null, control.signal);
      control.abort(reason);
      await expect(listing).rejects.toBe(reason);
      await expect(source.addressOf(await named('other.txt'), AbortSignal.abort(reason))).rejects.toBe(reason);
    });
  });
}
