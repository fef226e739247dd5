import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sender, type SpooledBatch } from '../../../mixins/spool/sender.ts';
import { Spool } from '../../../mixins/spool/spool.ts';
import type { Served } from '../../../models/traffic.ts';
import { lineOf, lossOf } from './line.ts';

const hourMs = 3_600_000;
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ply-spool-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const served = (fields: Partial<Served> = {}): Served => ({
  organizationId: 'o',
  bucketId: 'b',
  at: 2 * hourMs + 5,
  status: 200,
  bytes: 7,
  country: 'IN',
  cache: 'hit',
  key: 'a/ü',
  query: '',
  isLinkValid: false,
  ...fields,
});

interface Opened {
  spool: Spool<Served>;
  sender: Sender;
  lost: () => number;
  failures: unknown[];
}

function open({ folder = join(root, 'own'), maxDiskBytes = 1e9, maxMemoryBytes = 1e6 } = {}): Opened {
  const sender = new Sender(root, 'own', 'host', Date.now);
  const failures: unknown[] = [];
  let lost = 0;
  const spool = new Spool({
    lineOf,
    lossOf,
    folder,
    writer: '0a',
    now: Date.now,
    maxDiskBytes,
    maxMemoryBytes,
    sealed: (name, bytes) => sender.add(name, bytes),
    waitingBytes: () => sender.bytes,
    lost: (count) => {
      lost += count;
    },
    failed: (error) => failures.push(error),
  });
  return { spool, sender, lost: () => lost, failures };
}

async function sentBy(sender: Sender): Promise<SpooledBatch[]> {
  const batches: SpooledBatch[] = [];
  while (await sender.sendNext((batch) => Promise.resolve(batches.push(batch))));
  return batches;
}

it('a line holds no link', () => {
  const query = 'expires=1&kid=k&ip=192.0.2.1&tag.customer=c&token=t&page=2';
  expect(lineOf(served({ query }))).toBe('["o","b",7200005,200,7,"IN","h","a/ü","tag.customer=c&page=2",0]\n');
  expect(lineOf(served({ key: 'k'.repeat(9000), query: `a=${'q'.repeat(9000)}` })).length).toBeLessThan(6300);
});

it('writes segments that become batches, and removes them when they are acknowledged', async () => {
  const { spool, sender } = open();
  for (let count = 0; count < 3; count += 1) spool.record(served({ bytes: count }));
  expect(await spool.sealAll()).toBe(true);
  spool.record(served({ bytes: 9 }));
  expect(await spool.sealAll()).toBe(true);
  expect(readdirSync(join(root, 'own'))).toEqual(['0a.1.batch', '0a.2.batch']);
  await expect(sender.sendNext(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  const batches = await sentBy(sender);
  expect(batches.map(({ writer, number, lines }) => [writer, number, lines.split('\n').length - 1])).toEqual([
    ['0a', 1, 3],
    ['0a', 2, 1],
  ]);
  expect(readdirSync(join(root, 'own'))).toEqual([]);
  expect(sender.bytes).toBe(0);
});

it('keeps responses in memory while the disk takes nothing, then loses them and says of which hours', async () => {
  // A file where the folder should be: nothing can be written.
  writeFileSync(join(root, 'own'), '');
  const { spool, sender, lost, failures } = open({ maxMemoryBytes: 500 });
  for (let count = 0; count < 20; count += 1) spool.record(served({ bytes: count }));
  expect(await spool.sealAll()).toBe(false);
  expect(failures.length).toBeGreaterThan(0);
  const kept = 20 - lost();
  expect(kept).toBeGreaterThan(2);
  expect(lost()).toBeGreaterThan(2);
  rmSync(join(root, 'own'));
  expect(await spool.sealAll()).toBe(true);
  const lines = (await sentBy(sender)).flatMap((batch) => batch.lines.trimEnd().split('\n'));
  expect(lines.slice(0, kept).map((line) => (JSON.parse(line) as unknown[])[4])).toEqual([...Array(kept).keys()]);
  expect(lines.slice(kept)).toEqual([JSON.stringify(['o', 'b', 2 * hourMs])]);
});

it('does not grow beyond its disk space', async () => {
  const { spool, lost } = open({ maxDiskBytes: 300, maxMemoryBytes: 400 });
  for (let round = 0; round < 20; round += 1) {
    for (let count = 0; count < 3; count += 1) spool.record(served());
    await spool.sealAll();
  }
  const sizes = readdirSync(join(root, 'own')).map((name) => readFileSync(join(root, 'own', name)).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1000);
  expect(lost()).toBeGreaterThan(0);
});

it('sends what a process that is gone left, without a line that was cut off', async () => {
  const { spool } = open({ folder: join(root, `host-${process.pid}-0011aabb`) });
  spool.record(served());
  await spool.sealAll();
  writeFileSync(join(root, `host-${process.pid}-0011aabb`, '0b.7.open'), `${lineOf(served({ bytes: 8 }))}["o","b",1`);
  writeFileSync(join(root, `host-${process.pid}-0011aabb`, 'other'), 'x');
  const sender = new Sender(root, 'own', 'host', Date.now);
  await sender.adopt();
  const batches = await sentBy(sender);
  expect(batches.map(({ writer, number }) => `${writer}:${number}`).sort()).toEqual(['0a:1', '0b:7']);
  expect(batches.find(({ number }) => number === 7)?.lines).toBe(lineOf(served({ bytes: 8 })));
  expect(existsSync(join(root, `host-${process.pid}-0011aabb`, 'other'))).toBe(true);
});
