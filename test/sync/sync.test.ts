import { sourceFile } from '../support/source-double.ts';
import { SourceError } from '../../adapters/sources/port.ts';
import { readersOf, syncWorld, type SyncWorld } from './world.ts';
import { writePermissions } from '../../services/registrar/attributes.ts';
import { libraryHealth, StateCounts } from '../../services/registrar/library-health.ts';
import { removeAsset } from '../../services/registrar/remove.ts';
import { register, registrationIds } from '../../services/registrar/register.ts';
import type { Caller } from '../../models/api.ts';
import { connectors as connectorsDefinition, type SyncSummary } from '../../models/connector.ts';
import { systemScope } from '../../models/scope.ts';

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
});
afterEach(() => world.test.close());

const caller: Caller = {
  accountId: 'account',
  organizationId: 'organization',
  keyId: 'k',
  keyPrefix: 'p',
  keyLabel: 'l',
  keyScope: 'standard',
  requestId: 'r',
};
const externalIdOf = (name: string): string => `s3:h/b/${name}`;

function put(name: string, content: string, fields: Parameters<typeof sourceFile>[2] = {}): void {
  world.source.files.set(externalIdOf(name), sourceFile(externalIdOf(name), content, fields));
}

function take(name: string): void {
  world.source.files.delete(externalIdOf(name));
}

/** Runs a sync and checks that its summary has these counts; all others are 0. */
async function expectSync(expected: Partial<SyncSummary>): Promise<void> {
  const { lastSummary, lastError } = await world.sync();
  expect(lastError).toBeNull();
  expect(lastSummary).toEqual({
    new: 0,
    changed: 0,
    unchanged: 0,
    reauthorized: 0,
    moved: 0,
    removed: 0,
    failed: 0,
    ...expected,
  });
  await world.allReady();
  expect(await world.candidates()).toBe(0);
}

describe('a sync', () => {
  it('registers new files, reindexes changed ones, and skips unchanged ones', async () => {
    for (const name of ['a.txt', 'b.md', 'c.pdf', 'd/e.txt', 'no-reader.bin']) put(name, name);
    await expectSync({ new: 4 });
    const asset = await world.asset(externalIdOf('a.txt'));
    expect(asset).toMatchObject({
      connectorId: 'connector',
      kind: 'document',
      filename: 'a.txt',
      sourceVersion: '"a.txt"',
      aclMode: 'restricted',
      principals: ['org:organization'],
      latestRevision: 1,
    });
    world.writes.clear();
    await expectSync({ unchanged: 4 });
    expect([...world.writes.keys()].filter((name) => name.startsWith('assets.'))).toEqual([]);
    put('a.txt', 'other');
    await expectSync({ changed: 1, unchanged: 3 });
    expect(await world.asset(externalIdOf('a.txt'))).toMatchObject({
      _id: asset._id,
      latestRevision: 2,
      sourceVersion: '"other"',
    });
    // A version that existed before is read again as well.
    put('a.txt', 'a.txt');
    await expectSync({ changed: 1, unchanged: 3 });
    expect((await world.asset(externalIdOf('a.txt'))).latestRevision).toBe(3);
  });

  it('updates the address of moved files, and keeps everything else', async () => {
    put('a.txt', 'A');
    put('b.txt', 'B');
    await expectSync({ new: 2 });
    const before = await world.asset(externalIdOf('a.txt'));
    await writePermissions(world.registrar, caller, before._id, 'restricted', ['someone']);
    take('a.txt');
    put('sub/new name.txt', 'A');
    await expectSync({ moved: 1, unchanged: 1 });
    const after = await world.asset(externalIdOf('sub/new name.txt'));
    expect(after).toMatchObject({
      _id: before._id,
      filename: 'new name.txt',
      latestRevision: 1,
      activeRevision: 1,
      principals: ['someone'],
      sourceMissingSince: null,
      activeSource: {
        filename: 'new name.txt',
        sourceUrl: world.source.files.get(externalIdOf('sub/new name.txt'))?.sourceUrl,
      },
    });
    expect((await world.library()).length).toBe(2);
    // The old name is free: a file with that name is a new one.
    put('a.txt', 'C');
    await expectSync({ new: 1, unchanged: 2 });
  });

  it('treats ambiguous moves as new files: equal contents, another format', async () => {
    for (const name of ['a.txt', 'b.txt', 'c.txt', 'e.txt']) put(name, name < 'c' ? 'same' : name);
    await expectSync({ new: 4 });
    for (const name of ['a.txt', 'b.txt', 'c.txt', 'e.txt']) take(name);
    put('x.txt', 'same');
    put('y.txt', 'c.txt');
    put('z.txt', 'c.txt');
    put('e.md', 'e.txt');
    await expectSync({ new: 4, removed: 4 });
  });

  it('withholds missing files, lists them, and restores them', async () => {
    for (const name of ['a.txt', 'b.txt', 'c.txt']) put(name, name);
    await expectSync({ new: 3 });
    take('b.txt');
    await expectSync({ unchanged: 2, removed: 1 });
    const missing = await world.asset(externalIdOf('b.txt'));
    expect(missing.sourceMissingSince).not.toBeNull();
    const { sourceMissing } = await libraryHealth(world.registrar, new StateCounts(() => 0), caller, 10);
    expect(sourceMissing.map(({ externalId }) => externalId)).toEqual([externalIdOf('b.txt')]);
    await expectSync({ unchanged: 2 });
    put('b.txt', 'b.txt');
    await expectSync({ unchanged: 3 });
    expect(await world.asset(externalIdOf('b.txt'))).toMatchObject({
      sourceMissingSince: null,
      latestRevision: 1,
      attributesVersion: missing.attributesVersion + 1,
    });
    take('b.txt');
    await expectSync({ unchanged: 2, removed: 1 });
    // Recognized by its content under another name.
    put('d.txt', 'b.txt');
    await expectSync({ unchanged: 2, moved: 1 });
    take('d.txt');
    await expectSync({ unchanged: 2, removed: 1 });
    put('d.txt', 'new');
    await expectSync({ unchanged: 2, changed: 1 });
    expect(await world.asset(externalIdOf('d.txt'))).toMatchObject({
      _id: missing._id,
      sourceMissingSince: null,
      latestRevision: 2,
    });
  });

  it('lists an empty source twice before it removes all files', async () => {
    put('a.txt', 'A');
    await expectSync({ new: 1 });
    const files = new Map(world.source.files);
    world.source.files.clear();
    world.source.before = () => {
      world.source.before = () => void (world.source.files = files);
    };
    await expectSync({ unchanged: 1 });
    world.source.before = () => undefined;
    world.source.files = new Map();
    const pages = world.source.pages;
    await expectSync({ removed: 1 });
    expect(world.source.pages).toBe(pages + 2);
  });

  it('does not change files in gaps of the listing', async () => {
    put('a/1.txt', 'A');
    put('b/1.txt', 'B');
    put('c/1.txt', 'C');
    await expectSync({ new: 3 });
    take('b/1.txt');
    take('c/1.txt');
    world.source.gaps = [{ prefix: externalIdOf('b/'), errorCode: 'source_access_denied' }];
    await expectSync({ unchanged: 1, removed: 1, failed: 1 });
    expect((await world.connector()).failures).toMatchObject([
      { externalId: externalIdOf('b/'), errorCode: 'source_access_denied' },
    ]);
    expect((await world.asset(externalIdOf('b/1.txt'))).sourceMissingSince).toBeNull();
  });

  it('mirrors permissions of the source, and overwrites manual ones', async () => {
    put('a.txt', 'A', { principals: ['course:1', 'user:2'] });
    await expectSync({ new: 1 });
    put('a.txt', 'A', { principals: ['user:2', 'course:1'] });
    await expectSync({ unchanged: 1 });
    put('a.txt', 'A', { principals: ['course:1'] });
    await expectSync({ reauthorized: 1 });
    const asset = await world.asset(externalIdOf('a.txt'));
    expect(readersOf(asset)).toBe('course:1');
    expect(asset.latestRevision).toBe(1);
    await writePermissions(world.registrar, caller, asset._id, 'open', []);
    await expectSync({ reauthorized: 1 });
    expect(readersOf(await world.asset(externalIdOf('a.txt')))).toBe('course:1');
    put('a.txt', 'A', { principals: ['course:1'], filename: 'renamed.txt' });
    await expectSync({ moved: 1 });
    put('a.txt', 'A', { principals: ['course:1'], filename: 'renamed.bin' });
    await expectSync({ removed: 1 });
  });

  it('keeps manual permissions if the source has none, until the connector changes its default', async () => {
    put('a.txt', 'A');
    await expectSync({ new: 1 });
    const { _id } = await world.asset(externalIdOf('a.txt'));
    await writePermissions(world.registrar, caller, _id, 'restricted', ['someone']);
    await expectSync({ unchanged: 1 });
    expect(readersOf(await world.asset(externalIdOf('a.txt')))).toBe('someone');
    await world.change({ defaultAclMode: 'open' });
    await expectSync({ reauthorized: 1 });
    expect(readersOf(await world.asset(externalIdOf('a.txt')))).toBe('open');
  });

  it('registers deleted files again, and takes over files that clients registered', async () => {
    put('a.txt', 'A');
    put('b.txt', 'B');
    const input = {
      externalId: externalIdOf('b.txt'),
      filename: 'b.txt',
      kind: 'document' as const,
      sourceUrl: 'https://h/b.txt',
      sourceVersion: '"B"',
      sourceAccess: null,
      language: 'en',
      audioTrack: null,
      metadata: { mine: true },
      collections: null,
      principals: null,
      callbackKey: null,
      contentSha256: null,
      extractContentFromVideoFrames: null,
    };
    const { assetId } = await register(world.registrar, caller, input, registrationIds(world.registrar, undefined));
    await world.allReady();
    await expectSync({ new: 1, unchanged: 1 });
    expect(await world.asset(externalIdOf('b.txt'))).toMatchObject({
      _id: assetId,
      connectorId: 'connector',
      metadata: { mine: true },
      aclMode: 'open',
    });
    await register(
      world.registrar,
      caller,
      { ...input, sourceVersion: '"by hand"' },
      registrationIds(world.registrar, undefined),
    );
    await expectSync({ unchanged: 1, changed: 1 });
    expect(await world.asset(externalIdOf('b.txt'))).toMatchObject({ sourceVersion: '"B"', latestRevision: 3 });
    const first = await world.asset(externalIdOf('a.txt'));
    await removeAsset(world.registrar, caller, first._id);
    await expectSync({ new: 1, unchanged: 1 });
    expect((await world.asset(externalIdOf('a.txt')))._id).not.toBe(first._id);
  });

  it('lists files that cannot be registered, and continues', async () => {
    put('a.txt', 'A', { sourceUrl: 'https://127.0.0.1/a.txt' });
    put('b.txt', 'B', { filename: `${'x'.repeat(300)}.txt` });
    put('c.txt', 'C');
    await expectSync({ new: 1, failed: 2 });
    expect((await world.connector()).failures).toMatchObject([
      { externalId: externalIdOf('b.txt'), errorCode: 'validation_error' },
      { externalId: externalIdOf('a.txt'), errorCode: 'source_host_not_allowed' },
    ]);
    put('a.txt', 'A');
    put('b.txt', 'B');
    await expectSync({ new: 2, unchanged: 1 });
    expect((await world.connector()).failures).toEqual([]);
  });

  it('resumes when an unavailable source is back, and ends on permanent failures', async () => {
    for (let number = 0; number < 12; number += 1) put(`${number}.txt`, String(number));
    let asked = 0;
    world.source.before = (cursor) => {
      if (cursor !== null && ++asked % 2 === 1) throw new SourceError('temporary', 'away');
    };
    await expectSync({ new: 12 });
    world.source.before = () => {
      throw new SourceError('credential', 'The source refuses the credential.');
    };
    expect(await world.sync()).toMatchObject({
      lastError: 'The source refuses the credential.',
      lastSummary: { new: 12 },
      sync: null,
    });
    world.source.before = () => {
      throw new SourceError('temporary', 'It is away.');
    };
    expect(await world.sync()).toMatchObject({
      lastError: 'The source could not be read for a long time. It is away.',
      sync: null,
    });
    world.source.before = () => undefined;
    await expectSync({ unchanged: 12 });
  });

  it('leaves nothing behind if its connector is deleted meanwhile', async () => {
    for (const name of ['a.txt', 'b.txt', 'c.txt']) put(name, name);
    await expectSync({ new: 3 });
    take('a.txt');
    put('z.txt', 'a.txt');
    const { apply } = world;
    // Deferred are the missing file and the new one with its content.
    world.apply = async (batch) => {
      expect(await world.candidates()).toBeGreaterThan(0);
      await world.test.app.records.collection(connectorsDefinition, systemScope).remove(world.connectorId);
      return apply(batch);
    };
    await expect(world.sync()).rejects.toThrow('the connector is gone');
    expect(await world.candidates()).toBe(0);
  });

  it('reports why it waits', async () => {
    put('a.txt', 'A');
    const errors: (string | null)[] = [];
    const { list } = world.source;
    world.source.list = async (cursor, signal) => {
      errors.push((await world.connector()).lastError);
      if (errors.length === 1) throw new SourceError('temporary', 'It is away.');
      return list(cursor, signal);
    };
    expect(await world.sync()).toMatchObject({ lastError: null, lastSummary: { new: 1 } });
    expect(errors).toEqual([null, 'The source could not be read. It is away. The sync will be retried.']);
  });

  it('fails if the source lists files out of order', async () => {
    put('a.txt', 'A');
    put('b.txt', 'B');
    const { list } = world.source;
    world.source.list = async (cursor, signal) => {
      const page = await list(cursor, signal);
      return { ...page, entries: page.entries.reverse() };
    };
    expect((await world.sync()).lastError).toMatch(/order/);
    expect(await world.library()).toEqual([]);
  });
});
