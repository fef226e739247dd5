import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The output of `measure.ts` for a group of shapes. */
async function measured(group: string): Promise<string> {
  const { stdout } = await run(process.execPath, ['--no-warnings', join(import.meta.dirname, 'measure.ts'), group]);
  return stdout;
}

describe('reading time grows linearly with file size', () => {
  it.each(['text', 'html', 'docx', 'xlsx', 'pptx', 'package', 'pdf'])('%s', async (group) => {
    expect(await measured(group)).toBe('measured\n');
  });
});
