import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completeLock, type Lock } from '../../scripts/setup/complete-lock.mjs';
import { packagesAreCurrent } from '../../scripts/setup/packages.mjs';
import { modelFormat } from '../../adapters/speech/whisper/manifest.ts';
import { projectRoot, speechModelFormat } from '../../scripts/setup/paths.mjs';

describe('whether packages are current', () => {
  const root = mkdtempSync(join(tmpdir(), 'ply-packages-'));
  const wanted = {
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/b': { version: '2.0.0', optional: true },
  };

  beforeAll(() => {
    mkdirSync(join(root, 'node_modules'));
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: wanted }));
  });
  afterAll(() => rmSync(root, { recursive: true }));

  function install(packages: Record<string, { version: string }>): void {
    writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
  }

  it('needs an installation', () => {
    expect(packagesAreCurrent(root)).toBe(false);
  });

  it.each([
    ['all of them', { 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '2.0.0' } }, true],
    ['all but an optional one', { 'node_modules/a': { version: '1.0.0' } }, true],
    ['another version', { 'node_modules/a': { version: '1.0.1' } }, false],
    ['too few', { 'node_modules/b': { version: '2.0.0' } }, false],
    ['too many', { 'node_modules/a': { version: '1.0.0' }, 'node_modules/c': { version: '3.0.0' } }, false],
  ])('%s', (_title, packages, current) => {
    install(packages);
    expect(packagesAreCurrent(root)).toBe(current);
  });
});

describe('the lock file', () => {
  const lockFile = readFileSync(join(projectRoot, 'package-lock.json'), 'utf8');

  it('lists every optional package, as npm ci requires (scripts/setup/complete-lock.mjs)', () => {
    expect(completeLock(JSON.parse(lockFile) as Lock)).toEqual([]);
  });

  it('contains no download address', () => {
    expect(lockFile).not.toMatch(/"resolved": *"https?:/);
  });

  it('is completed with the platforms of a package', () => {
    const lock: Lock = {
      packages: {
        'node_modules/x': {
          version: '1.0.0',
          dev: true,
          optionalDependencies: { 'x-linux-arm64-musl': '1.0.0', y: '^1.0.0' },
        },
      },
    };
    expect(completeLock(lock)).toEqual(['node_modules/x-linux-arm64-musl']);
    expect(lock.packages['node_modules/x-linux-arm64-musl']).toEqual({
      version: '1.0.0',
      dev: true,
      optional: true,
      os: ['linux'],
      cpu: ['arm64'],
      libc: ['musl'],
    });
  });
});

it('makes the speech model anew where it is in an older format', () => {
  expect(speechModelFormat).toBe(modelFormat);
});
