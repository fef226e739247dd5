import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backupEvery, intervalOf, scheduledBackups, takeScheduled } from './schedule.ts';

const root = mkdtempSync(join(tmpdir(), 'ply-schedule-'));
const [folder, data] = [join(root, 'backups'), join(root, 'data')];
beforeEach(() => {
  for (const path of [folder, data]) {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
  }
});
afterAll(() => rmSync(root, { recursive: true }));

const take = (target: string): Promise<string> => {
  mkdirSync(target);
  writeFileSync(join(target, 'manifest.json'), '{}');
  return Promise.resolve(`Backed up to ${target}`);
};
const at = Date.parse('2026-03-04T05:06:07Z');

describe('the interval of backups', () => {
  it.each([
    ['30m', 1_800_000],
    ['6h', 21_600_000],
    ['1d', 86_400_000],
  ])('%s is %d ms', (given, milliseconds) => {
    expect(intervalOf(given)).toBe(milliseconds);
  });

  it.each(['', '0h', '6', 'daily', '1.5h', '-1d'])('%j is not valid', (given) => {
    expect(() => intervalOf(given)).toThrow('is not a valid interval');
  });
});

describe('scheduled backups', () => {
  it('are named by their time, and the newest ones are kept', async () => {
    for (const hour of [0, 1, 2, 3]) await takeScheduled({ folder, data, keep: 2, take }, at + hour * 3_600_000);
    mkdirSync(join(folder, 'something else'));
    expect(await scheduledBackups(folder)).toEqual(['2026-03-04T070607Z', '2026-03-04T080607Z']);
    expect(JSON.parse(readFileSync(join(data, 'last-backup.json'), 'utf8'))).toEqual({
      takenAt: at + 3 * 3_600_000,
      folder: join(folder, '2026-03-04T080607Z'),
    });
    expect(existsSync(join(folder, 'something else'))).toBe(true);
  });

  it('that were not finished have another name, are not noted, and are removed by the next one', async () => {
    const failing = async (target: string): Promise<string> => {
      await take(target);
      throw new Error('the disk is full');
    };
    await expect(takeScheduled({ folder, data, keep: 2, take: failing }, at)).rejects.toThrow('the disk is full');
    expect([await scheduledBackups(folder), readdirSync(data)]).toEqual([[], []]);
    expect(readdirSync(folder)).toEqual(['2026-03-04T050607Z.unfinished']);
    expect(await takeScheduled({ folder, data, keep: 2, take }, at + 1000)).toBe(
      `Backed up to ${join(folder, '2026-03-04T050608Z')}`,
    );
    expect(readdirSync(folder)).toEqual(['2026-03-04T050608Z']);
  });

  it('go on after one has failed, until they are stopped', async () => {
    const lines: string[] = [];
    const controller = new AbortController();
    let taken = 0;
    await backupEvery({
      folder,
      data,
      keep: 3,
      everyMs: 5,
      now: () => at + taken * 1000,
      take: (target) => {
        taken += 1;
        return taken === 2 ? Promise.reject(new Error('the disk is full')) : take(target);
      },
      report: (line) => {
        lines.push(line);
        if (lines.length === 3) controller.abort();
      },
      signal: controller.signal,
    });
    expect(lines).toEqual([
      expect.stringMatching(/^Backed up/),
      'The backup failed: the disk is full',
      expect.stringMatching(/^Backed up/),
    ]);
    expect(await scheduledBackups(folder)).toHaveLength(2);
  });
});
