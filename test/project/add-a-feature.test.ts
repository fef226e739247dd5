import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routeTable } from '../../services/gateway/table.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';

const page = readFileSync(join(projectRoot, 'docs/add-a-feature.md'), 'utf8');
const links = [...page.matchAll(/\]\(([^)#]+)\)/g)].map(([, address = '']) => join('docs', address));
const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);

/** A piece of code without its indentation. */
const flat = (code: string): string =>
  code
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim();

describe('docs/add-a-feature.md', () => {
  it.each([...new Set(links)])('names %s, which exists', (path) => {
    expect(existsSync(join(projectRoot, path))).toBe(true);
  });

  it.each(blocks.map((code) => [flat(code).split('\n')[0] ?? '', code]))(
    'shows code as it stands: %s',
    (_first, code) => {
      const sources = links
        .filter((path) => path.endsWith('.ts'))
        .map((path) => flat(readFileSync(join(projectRoot, path), 'utf8')));
      expect(sources.filter((source) => source.includes(flat(code))).length).toBeGreaterThan(0);
    },
  );

  it.each(['scopeOf', 'Refusal', 'writeMetadata', 'metadataAnswer', 'startTestProgram', 'expectRefused'])(
    'refers to %s, which is in one of its files',
    (name) => {
      expect(page).toContain(`\`${name}\``);
      const sources = links
        .filter((path) => path.endsWith('.ts'))
        .map((path) => readFileSync(join(projectRoot, path), 'utf8'));
      expect(sources.some((source) => source.includes(name))).toBe(true);
    },
  );

  it('describes an existing operation', () => {
    const row = routeTable.find(
      ({ method, path }) => method === 'GET' && path === '/api/content/v1/assets/{assetId}/metadata',
    );
    expect(row).toMatchObject({ operation: 'readMetadata', scope: 'standard' });
  });
});
