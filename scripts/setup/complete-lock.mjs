import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from './paths.mjs';

const systems = 'linux|darwin|win32|android|freebsd|openharmony';
const processors = 'x64|arm64|arm|ia32|riscv64|ppc64|s390x|loong64';
const platform = new RegExp(`(?<os>${systems})-(?<cpu>${processors})(?:-(?<libc>gnu|musl))?`);

/**
 * Adds to a lock file the optional packages of other platforms that it names and does not list. npm leaves such
 * a package out when the registry it locked against does not have it, and then `npm ci` refuses its own lock file.
 * @param {{ packages: Record<string, Record<string, any>> }} lock changed in place
 * @returns {string[]} the entries added
 */
export function completeLock(lock) {
  const added = [];
  for (const [holder, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (isListed(lock.packages, holder, name) || !/^\d/.test(version)) continue;
      const path = `node_modules/${name}`;
      const { os, cpu, libc } = platform.exec(name)?.groups ?? {};
      lock.packages[path] = {
        version,
        ...(cpu && { cpu: [cpu] }),
        ...(dev && { dev }),
        ...(libc && { libc: [libc === 'gnu' ? 'glibc' : libc] }),
        optional: true,
        ...(os && { os: [os] }),
      };
      added.push(path);
    }
  }
  return added;
}

/** Whether a package finds another where Node looks for it: in its own node_modules, or in one further up. */
function isListed(packages, holder, name) {
  for (let folder = holder; ; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    if (packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`] !== undefined) return true;
    if (folder === '') return false;
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const file = process.argv[2] ?? join(projectRoot, 'package-lock.json');
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const added = completeLock(lock);
  const packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  if (added.length > 0) writeFileSync(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
  console.log(`${added.length} entries added to ${file}`);
}
