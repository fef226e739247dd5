import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { variables } from '../../models/configuration/table.ts';
import { isErrorCode, jobErrorCodes } from '../../models/errors.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const pages = [
  'README.md',
  ...readdirSync(join(projectRoot, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** All unique matches of a pattern's first group in a page. */
function named(page: string, pattern: RegExp): string[] {
  return [...new Set([...read(page).matchAll(pattern)].map(([, found = '']) => found))];
}

describe.each(pages)('%s', (page) => {
  it('links to files that exist', () => {
    const broken = named(page, /\]\((?!https?:)([^)#]+)/g).filter(
      (address) => !existsSync(join(projectRoot, dirname(page), address)),
    );
    expect(broken).toEqual([]);
  });

  it('names variables, commands and folders that exist', () => {
    expect(
      named(page, /\b(PLY_[A-Z0-9_]*[A-Z0-9])\b/g).filter(
        (name) => !Object.hasOwn(variables, name) && !name.startsWith('PLY_TEST_'),
      ),
    ).toEqual([]);
    expect(named(page, /\bnpm run ([a-z:-]+)/g).filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
    expect(
      named(page, /`((?:services|models|mixins|adapters|app|formats|media|cli|scripts|bench|test)\/[\w./-]+)`/g).filter(
        (path) => !existsSync(join(projectRoot, path)),
      ),
    ).toEqual([]);
  });
});

describe('the README', () => {
  it('links every document', () => {
    expect(pages.filter((page) => page.startsWith('docs/') && !read('README.md').includes(`](${page})`))).toEqual([]);
  });

  it('lists exactly the commands of the command line', () => {
    const commands = [...read('cli/ply.ts').matchAll(/^ {2}(\w+): \{\s+run:/gm)].map(([, name]) => name);
    expect(named('README.md', /\| `npm run ply -- (\w+)/g)).toEqual(commands);
  });

  it('has scripts with existing programs', () => {
    const launcher = read('scripts/launch.mjs');
    const entries = [...launcher.matchAll(/entry: '([^']+)'/g)].map(([, path = '']) => path);
    expect(entries.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([]);
    expect(entries.length).toBe(Object.keys(scripts).length);
  });

  it('has scripts that replace their shell, because npm sends SIGTERM to the shell only', () => {
    expect(
      Object.entries(scripts).filter(
        ([verb, command]) => !new RegExp(`^exec node scripts/launch\\.mjs ${verb.replace(':', '[:-]')}$`).test(command),
      ),
    ).toEqual([]);
  });
});

/** The code of the program without tests. */
function codeOf(folder: string): string {
  const files = readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  return files.map((name) => read(join(folder, name))).join('\n');
}

describe('decisions', () => {
  it('mention existing codes and names', () => {
    const codes = named('docs/decisions.md', /`([a-z]+(?:_[a-z0-9]+)+)`/g);
    const source = ['models', 'services', 'mixins', 'adapters', 'formats', 'media'].map(codeOf).join('\n');
    const isOfCode = (code: string): boolean => source.includes(`'${code}'`);
    expect(
      codes.filter((code) => !isErrorCode(code) && !Object.hasOwn(jobErrorCodes, code) && !isOfCode(code)),
    ).toEqual([]);
  });
});
