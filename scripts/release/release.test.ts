import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from '../setup/system.ts';
import { nextVersion, release } from './release.ts';

describe('the next version', () => {
  it.each([
    ['1.9.3', 'patch', '1.9.4'],
    ['1.9.3', 'minor', '1.10.0'],
    ['1.9.3', 'major', '2.0.0'],
    ['1.9.3', '1.10.0', '1.10.0'],
    ['1.9.3', '2.0.0', '2.0.0'],
  ])('after %s, %s is %s', (current, wanted, next) => {
    expect(nextVersion(current, wanted)).toBe(next);
  });

  it.each(['1.9.3', '1.9.2', '0.10.0', '1.8.9', '2', 'v2.0.0', '2.0.0-rc.1', '02.0.0', 'next'])(
    'after 1.9.3 is not %s',
    (wanted) => {
      expect(() => nextVersion('1.9.3', wanted)).toThrow(wanted);
    },
  );
});

describe('a release', () => {
  const root = mkdtempSync(join(tmpdir(), 'ply-release-'));
  afterAll(() => rmSync(root, { recursive: true }));
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  async function git(...words: string[]): Promise<string> {
    const own = ['-c', 'user.name=Test', '-c', 'user.email=test@test.example'];
    const outcome = await runProgram('git', [...own, ...words], { folder: root });
    if (!outcome.ok) throw new Error(outcome.reason);
    return outcome.output;
  }
  const commit = async (subject: string): Promise<void> => {
    await git('add', '--all');
    await git('commit', '--quiet', '--allow-empty', '--message', subject);
  };

  it('raises the version in every place, lists the commits, and makes a commit and a tag', async () => {
    await git('init', '--quiet');
    await git('config', 'user.name', 'Test');
    await git('config', 'user.email', 'test@test.example');
    write('package.json', '{\n  "version": "1.2.3"\n}\n');
    const lock = { version: '1.2.3', packages: { '': { version: '1.2.3' }, other: { version: '1.2.3' } } };
    write('package-lock.json', JSON.stringify(lock, null, 2));
    write('packages/client/package.json', '{\n  "version": "1.2.3"\n}\n');
    write('k8s/overlays/production/kustomization.yaml', 'images:\n  - newTag: 1.2.3\n');
    await commit('Begin');
    await expect(release(root, 'minor', '2026-01-02')).rejects.toThrow('Nothing was committed since version 1.2.3');
    await commit('Search by meaning');
    await commit('Read spreadsheets');
    expect(await release(root, 'minor', '2026-01-02')).toEqual({
      version: '1.3.0',
      tag: 'v1.3.0',
      changes: ['Search by meaning', 'Read spreadsheets'],
    });
    expect(JSON.parse(read('package.json'))).toEqual({ version: '1.3.0' });
    expect(JSON.parse(read('packages/client/package.json'))).toEqual({ version: '1.3.0' });
    expect(JSON.parse(read('package-lock.json'))).toEqual({
      version: '1.3.0',
      packages: { '': { version: '1.3.0' }, other: { version: '1.2.3' } },
    });
    expect(read('k8s/overlays/production/kustomization.yaml')).toContain('newTag: 1.3.0');
    expect(await git('status', '--porcelain')).toBe('');
    expect((await git('describe', '--exact-match')).trim()).toBe('v1.3.0');
  });

  it('puts the newest version first, and refuses a tree with changes', async () => {
    await commit('Answer in sentences');
    write('new-file', '');
    await expect(release(root, 'patch', '2026-01-03')).rejects.toThrow('not committed');
    rmSync(join(root, 'new-file'));
    await release(root, 'patch', '2026-01-03');
    expect(read('CHANGELOG.md').split('\n').slice(4)).toEqual([
      '## 1.3.1 (2026-01-03)',
      '',
      '- Answer in sentences',
      '',
      '## 1.3.0 (2026-01-02)',
      '',
      '- Search by meaning',
      '- Read spreadsheets',
      '',
    ]);
  });
});
