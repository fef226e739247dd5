import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../setup/system.ts';

/** Files that hold the version, and where: only here is it raised. */
const versioned: Readonly<Record<string, (text: string, from: string, to: string) => string>> = {
  'package.json': (text, from, to) => text.replace(`"version": "${from}"`, `"version": "${to}"`),
  // The version of the project stands twice at its top, before those of the packages.
  'package-lock.json': (text, from, to) =>
    text
      .replace(`"version": "${from}"`, `"version": "${to}"`)
      .replace(`      "version": "${from}"`, `      "version": "${to}"`),
  // That of the client is the program's.
  'packages/client/package.json': (text, from, to) => text.replace(`"version": "${from}"`, `"version": "${to}"`),
  'k8s/overlays/production/kustomization.yaml': (text, from, to) => text.replace(`newTag: ${from}`, `newTag: ${to}`),
};

const changelogHead = `# Changelog

What each version changes: \`npm run release\` writes a section with the subjects of the commits since the version before.
`;

/** A release that was refused or failed; its message says why. */
export class ReleaseError extends Error {}

/** What was released. */
export interface Release {
  version: string;
  tag: string;
  changes: string[];
}

/**
 * The next version (https://semver.org).
 * @param wanted `major`, `minor`, `patch`, or a version that is higher than the current one
 * @throws ReleaseError
 */
export function nextVersion(current: string, wanted: string): string {
  const parse = (version: string): number[] | null =>
    /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(version) ? version.split('.').map(Number) : null;
  const [major = 0, minor = 0, patch = 0] = parse(current) ?? [];
  if (wanted === 'major') return `${major + 1}.0.0`;
  if (wanted === 'minor') return `${major}.${minor + 1}.0`;
  if (wanted === 'patch') return `${major}.${minor}.${patch + 1}`;
  const next = parse(wanted);
  if (next === null) throw new ReleaseError(`"${wanted}" is neither major, minor, patch nor a version such as 1.2.3.`);
  const [first] = [major, minor, patch].map((part, at) => (next[at] ?? 0) - part).filter((change) => change !== 0);
  if (first === undefined || first < 0) throw new ReleaseError(`${wanted} is not higher than ${current}.`);
  return wanted;
}

async function git(root: string, ...words: string[]): Promise<string> {
  const outcome = await runProgram('git', words, { folder: root });
  if (!outcome.ok) throw new ReleaseError(`git ${words.join(' ')} failed: ${outcome.reason}`);
  return outcome.output.trim();
}

/** The commit of the version before: its tag, else the commit that last changed the version. */
async function lastRelease(root: string, current: string): Promise<string> {
  const tag = await git(root, 'tag', '--list', `v${current}`);
  if (tag !== '') return tag;
  return git(root, 'log', '-1', '--format=%H', '-G', '"version":', '--', 'package.json');
}

/**
 * Raises the version everywhere, writes the changelog, commits and tags. Nothing is pushed.
 * @param today the date of the release, as YYYY-MM-DD
 * @throws ReleaseError; then nothing was changed
 */
export async function release(root: string, wanted: string, today: string): Promise<Release> {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const { version: current } = JSON.parse(read('package.json')) as { version: string };
  const version = nextVersion(current, wanted);
  const tag = `v${version}`;
  if ((await git(root, 'status', '--porcelain')) !== '')
    throw new ReleaseError('There are changes that are not committed.');
  if ((await git(root, 'tag', '--list', tag)) !== '') throw new ReleaseError(`The tag ${tag} exists.`);
  const log = await git(root, 'log', '--reverse', '--format=%s', `${await lastRelease(root, current)}..HEAD`);
  const changes = log === '' ? [] : log.split('\n');
  if (changes.length === 0) throw new ReleaseError(`Nothing was committed since version ${current}.`);
  const written = Object.entries(versioned).map(([path, raise]): [string, string] => {
    const text = raise(read(path), current, version);
    if (text === read(path)) throw new ReleaseError(`${path} does not hold version ${current}.`);
    return [path, text];
  });
  const earlier = existsSync(join(root, 'CHANGELOG.md')) ? read('CHANGELOG.md') : changelogHead;
  const at = earlier.indexOf('\n## ') === -1 ? earlier.length : earlier.indexOf('\n## ') + 1;
  const section = `## ${version} (${today})\n\n${changes.map((subject) => `- ${subject}\n`).join('')}`;
  const before = earlier.slice(0, at).trimEnd();
  const after = earlier.slice(at);
  written.push(['CHANGELOG.md', `${before}\n\n${section}${after === '' ? '' : `\n${after}`}`]);
  for (const [path, text] of written) writeFileSync(join(root, path), text);
  await git(root, 'add', ...written.map(([path]) => path));
  await git(root, 'commit', '--quiet', '--message', `Release ${version}`);
  await git(root, 'tag', '--annotate', tag, '--message', `Version ${version}`);
  return { version, tag, changes };
}
