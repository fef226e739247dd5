import { join } from 'node:path';
import { ESLint, Linter } from 'eslint';
import { docstringRule } from '../../scripts/lint/docstring-rule.mjs';
import { importFault, importRule } from '../../scripts/lint/import-rules.mjs';
import { projectRoot } from '../../scripts/setup/paths.mjs';

const linter = new Linter({ cwd: projectRoot });

/** The messages of the rules for a piece of code in a file of the project. */
function complaints(path: string, code: string): string[] {
  const plugins = { ply: { rules: { imports: importRule, docstrings: docstringRule } } };
  const rules = { 'ply/imports': 'error', 'ply/docstrings': 'error' } as const;
  return linter
    .verify(code, [{ files: ['**/*.ts'], plugins, rules }], { filename: join(projectRoot, path) })
    .map(({ message }) => message);
}

describe('the import rules', () => {
  it.each([
    ['models/asset.ts', 'adapters/records/port.ts'],
    ['models/asset.ts', 'test/support/servers.ts'],
    ['adapters/records/mongo.ts', 'adapters/queue/embedded.ts'],
    ['adapters/records/mongo.ts', 'adapters/open.ts'],
    ['adapters/records/mongo.ts', 'mixins/app-context.ts'],
    ['adapters/open.ts', 'services/gateway/routes.ts'],
    ['mixins/app-context.ts', 'adapters/records/mongo.ts'],
    ['mixins/app-context.ts', 'services/gateway/routes.ts'],
    ['services/gateway/routes.ts', 'services/searcher/grade.ts'],
    ['services/gateway/routes.ts', 'adapters/records/mongo.ts'],
    ['services/gateway/routes.ts', 'adapters/records/conformance.ts'],
    ['services/gateway/routes.ts', 'main.ts'],
    ['formats/html.ts', 'mixins/blocks/block-lines.ts'],
    ['formats/html.ts', 'media/ffmpeg.ts'],
    ['formats/html.ts', 'services/extractor/reading.ts'],
    ['formats/html.ts', 'adapters/blobs/port.ts'],
    ['media/probe.ts', 'mixins/sources/open.ts'],
    ['media/probe.ts', 'formats/html.ts'],
    ['media/probe.ts', 'services/extractor/reading.ts'],
    ['media/probe.ts', 'adapters/blobs/port.ts'],
    ['mixins/app-context.ts', 'formats/html.ts'],
    ['main.ts', 'test/servers/servers.ts'],
    ['cli/ply.ts', 'adapters/records/conformance.ts'],
  ])('%s may not import %s', (from, to) => {
    expect(importFault(from, to)).toMatch(`${from} may import`);
  });

  it.each([
    ['models/asset.ts', 'models/json.ts'],
    ['adapters/records/mongo.ts', 'adapters/records/port.ts'],
    ['adapters/records/mongo.ts', 'models/asset.ts'],
    ['adapters/passages/milvus/ledger.ts', 'adapters/records/port.ts'],
    ['adapters/open.ts', 'adapters/records/mongo.ts'],
    ['mixins/app-context.ts', 'adapters/records/port.ts'],
    ['services/gateway/routes.ts', 'services/gateway/openapi/document.ts'],
    ['services/gateway/routes.ts', 'adapters/records/port.ts'],
    ['services/extractor/reading.ts', 'formats/reader.ts'],
    ['services/extractor/reading.ts', 'media/toolbox.ts'],
    ['formats/scorm/package.ts', 'formats/archive.ts'],
    ['formats/html.ts', 'models/block.ts'],
    ['media/probe.ts', 'models/extraction-failure.ts'],
    ['formats/html.test.ts', 'services/extractor/testing/pool.ts'],
    ['main.ts', 'services/gateway/gateway.service.ts'],
    ['adapters/records/conformance.ts', 'test/servers/servers.ts'],
    ['services/gateway/routes.test.ts', 'adapters/records/sqlite/open.ts'],
    ['scripts/cluster.ts', 'test/servers/servers.ts'],
  ])('%s may import %s', (from, to) => {
    expect(importFault(from, to)).toBeNull();
  });

  it.each([
    ["import { x } from '../../adapters/records/mongo.ts';"],
    ["const x = await import('../../adapters/records/mongo.ts');"],
    ["export * from '../../adapters/records/mongo.ts';"],
    ["/** Doc. */ export { x } from '../../adapters/records/mongo.ts';"],
    ["new Worker(new URL('../../adapters/records/mongo.ts', import.meta.url));"],
  ])('are held for %s', (code) => {
    expect(complaints('services/gateway/routes.ts', code)).toEqual([
      expect.stringContaining('not adapters/records/mongo.ts'),
    ]);
  });

  it('ignore packages and folders', () => {
    expect(
      complaints(
        'models/asset.ts',
        "import ajv from 'ajv'; import { join } from 'node:path'; const root = new URL('../../', import.meta.url);",
      ),
    ).toEqual([]);
  });
});

describe('the docstring rule', () => {
  it('requires one for each export, and one for all overloads', () => {
    expect(complaints('models/asset.ts', 'export const limit = 1;')).toEqual(['Exported limit has no docstring.']);
    expect(complaints('models/asset.ts', '/* no docstring */ export function f() {}')).toEqual([
      'Exported f has no docstring.',
    ]);
    expect(complaints('models/asset.ts', '/** How many. */ export const limit = 1;')).toEqual([]);
  });
});

describe('the lint configuration', () => {
  const eslint = new ESLint({ cwd: projectRoot });

  it.each([
    ['an explicit any', 'export const x: any = 1;', '@typescript-eslint/no-explicit-any'],
    [
      'a silenced finding',
      '// eslint-disable-next-line\nexport const x: any = 1;',
      '@typescript-eslint/no-explicit-any',
    ],
    ['a forgotten promise', 'Promise.resolve(1);', '@typescript-eslint/no-floating-promises'],
    [
      'a promise where none is awaited',
      '[1].forEach(async () => undefined);',
      '@typescript-eslint/no-misused-promises',
    ],
    ['a cast through unknown', 'export const x = 1 as unknown as string;', 'no-restricted-syntax'],
    ['a patched promise', 'export const x = Promise.delay(1);', 'no-restricted-properties'],
    ['a switched-off type check', '// @ts-ignore\nexport const x = 1;', '@typescript-eslint/ban-ts-comment'],
    ['a long file', 'export {};\n'.repeat(301), 'max-lines'],
    ['a forbidden import', "import '../adapters/open.ts';", 'ply/imports'],
    ['a missing docstring', 'export const x = 1;', 'ply/docstrings'],
  ])('reports %s', async (_title, code, rule) => {
    // The text is linted under the name of an existing file, because rules with types read the project.
    const [result] = await eslint.lintText(code, { filePath: join(projectRoot, 'models/runtime.ts') });
    expect(result?.messages.map(({ ruleId }) => ruleId)).toContain(rule);
  });
});
