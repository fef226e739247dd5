import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationPage, errorsPage } from '../../scripts/make-docs.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';

describe('generated pages', () => {
  it.each([
    ['docs/configuration.md', configurationPage],
    ['docs/errors.md', errorsPage],
  ])('%s is the output of `node scripts/make-docs.ts`', (path, page) => {
    expect(readFileSync(join(projectRoot, path), 'utf8')).toBe(page());
  });
});
