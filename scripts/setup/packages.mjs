import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';

/**
 * Whether the installed packages are those of package-lock.json. npm notes what it installed in
 * `node_modules/.package-lock.json`; optional packages of other platforms may be missing there.
 * @param {string} root the project's folder
 */
export function packagesAreCurrent(root) {
  const noted = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(noted)) return false;
  const wanted = readPackages(join(root, 'package-lock.json'));
  const installed = readPackages(noted);
  for (const [path, { version, optional }] of Object.entries(wanted)) {
    if (path === '') continue;
    const found = installed[path];
    if (found === undefined ? !optional : found.version !== version) return false;
  }
  return Object.keys(installed).every((path) => path in wanted);
}

/** @param {string} file a lock file of npm */
function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

/**
 * Installs the packages of package-lock.json where they are not installed already. No package of ours needs
 * its install script (onnxruntime-node's would fetch libraries for graphics cards), so none runs.
 * @param {string} root the project's folder
 */
export function installPackages(root) {
  if (packagesAreCurrent(root)) return;
  console.error('ply: installing the packages (npm ci) ...');
  run('npm', ['ci', '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error'], { cwd: root, fix: 'npm ci' });
}
