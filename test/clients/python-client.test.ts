import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generator, makePythonClient } from '../../scripts/make-python-client.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { skipWithReason } from '../support/servers.ts';
import { installPythonPackage } from './python-package.ts';

const title = 'the client for Python';
const { program: installed, missing } = await installPythonPackage(generator);

if (missing !== null) skipWithReason(title, `${generator} is not available: ${missing}`);
else
  describe(title, () => {
    let program: TestProgram;
    const folder = mkdtempSync(join(tmpdir(), 'ply-python-'));
    beforeAll(async () => {
      program = await startTestProgram();
      const text = 'Parental leave is twelve weeks.';
      await program.standard.indexed({ filename: 'handbook.txt', ...program.source.put('handbook.txt', text) });
    });
    afterAll(async () => {
      rmSync(folder, { recursive: true });
      await program.end();
    });

    it('is made of the description, searches, and shows errors', async () => {
      expect(await makePythonClient(folder)).toBeNull();
      const search = (question: string, key: string): Promise<{ stdout: string; stderr: string }> =>
        promisify(execFile)(installed('python'), [join(projectRoot, 'examples/search.py'), question], {
          env: {
            PYTHONPATH: folder,
            PLY_URL: program.url,
            PLY_KEY: key,
            PLY_ORGANIZATION: program.organizationId,
          },
        });
      const { stdout } = await search('how long is parental leave', program.standard.key);
      expect(stdout).toMatch(/^handbook\.txt, \w+: Parental leave is twelve weeks\.$/m);
      await expect(search('leave', 'nothing')).rejects.toMatchObject({
        stderr: expect.stringContaining('invalid_api_key'),
      });
    }, 240_000);
  });
