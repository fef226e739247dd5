import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { projectRoot } from '../../../scripts/setup/paths.mjs';

/** One instruction of a Dockerfile, with its continuation lines joined. */
export interface Instruction {
  word: string;
  rest: string;
}

/** The instructions of the Dockerfile by stage; the first list precedes the first stage. */
export function stagesOf(dockerfile: string): Instruction[][] {
  const lines = dockerfile
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: Instruction[][] = [[]];
  for (const line of lines) {
    const [, word = '', rest = ''] = /^\s*(\S+)\s*(.*)$/.exec(line) ?? [];
    if (word === 'FROM') stages.push([]);
    stages.at(-1)?.push({ word, rest });
  }
  return stages;
}

/** A pattern of .dockerignore as a regular expression: it matches the path and everything below. */
function expressionOf(pattern: string): RegExp {
  const words = pattern
    .split(/(\*\*\/|\*)/)
    .map((part) => (part === '**/' ? '(?:.*/)?' : part === '*' ? '[^/]*' : part.replace(/[.+?^$(){}|[\]\\]/g, '\\$&')));
  return new RegExp(`^${words.join('')}(?:/.*)?$`);
}

/** Whether a file of the project is in the image according to .dockerignore: the last matching pattern decides. */
export function imageFilter(ignoreFile: string): (path: string) => boolean {
  const rules = ignoreFile
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ keeps: line.startsWith('!'), expression: expressionOf(line.replace(/^!/, '')) }));
  return (path) => rules.findLast(({ expression }) => expression.test(path))?.keeps ?? true;
}

const elsewhere = new Set(['node_modules', '.git', '.cache', 'data', '.hypothesis']);

/** All files of the project as relative paths, without generated and downloaded ones. */
export function projectFiles(): string[] {
  const folders = readdirSync(projectRoot, { withFileTypes: true });
  return folders.flatMap((entry) => {
    if (elsewhere.has(entry.name)) return [];
    if (!entry.isDirectory()) return [entry.name];
    return readdirSync(join(projectRoot, entry.name), { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => relative(projectRoot, join(file.parentPath, file.name)));
  });
}

/** Imports at runtime, without types. */
const imports = [
  /^(?:import|export) (?!type\b)[^;]*? from '(\.[^']+)'/gm,
  /^import '(\.[^']+)'/gm,
  /\bimport\('(\.[^']+)'\)/g,
  /new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g,
];

/** The files that an entry imports, directly or indirectly, including itself. */
export function neededBy(entry: string): Set<string> {
  const found = new Set<string>();
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    const text = readFileSync(join(projectRoot, path), 'utf8');
    for (const expression of imports)
      for (const [, target = ''] of text.matchAll(expression)) open.push(join(dirname(path), target));
  }
  return found;
}
