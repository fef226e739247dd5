import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What `measure.ts` says of a group of shapes. */
async function measured(group: string): Promise<string> {
  const { stdout } = await run(process.execPath, ['--no-warnings', join(import.meta.dirname, 'measure.ts'), group]);
  return stdout;
}

describe('the time that reading takes grows with the size of a file', () => {
  it.each(['text', 'html', 'docx', 'xlsx', 'pptx', 'package', 'pdf'])('%s', async (group) => {
    expect(await measured(group)).toBe('measured\n');
  });
});
