import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../models/schemas/schema.ts';
import { startTestProgram, type TestProgram } from '../test/api/support/program.ts';
import { schemathesisConfiguration } from './contract/configuration.ts';
import { makeFixtures } from './contract/fixtures.ts';
import { installSchemathesis, schemathesisProgram } from './contract/schemathesis.ts';

/** Exit code of a program that could not run here. */
const skippedExitCode = 77;

/** Runs schemathesis with our output, and returns its exit code. */
function runSchemathesis(folder: string, configurationFile: string, descriptionUrl: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const args = ['--config-file', configurationFile, 'run', descriptionUrl];
    const child = spawn(schemathesisProgram, args, {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, NO_COLOR: '1' },
    });
    const end = (): boolean => child.kill('SIGTERM');
    process.once('SIGTERM', end);
    child.once('error', reject);
    child.once('exit', (code) => {
      process.off('SIGTERM', end);
      resolve(code ?? 1);
    });
  });
}

/** Tests the running program against its description. */
async function testContract(program: TestProgram, short: boolean): Promise<number> {
  const configurationFile = join(program.folder, 'schemathesis.toml');
  const reportFile = join(program.folder, 'report.json');
  await writeFile(
    configurationFile,
    schemathesisConfiguration(program, await makeFixtures(program), { short, reportFile }),
  );
  const code = await runSchemathesis(program.folder, configurationFile, `${program.url}/api/openapi.json`);
  if (!existsSync(reportFile)) {
    console.log('schemathesis ended without a report');
    return 1;
  }
  console.log(counted(JSON.parse(await readFile(reportFile, 'utf8'))));
  if (code !== 0) console.log(`schemathesis ended with ${code}: see its failures and warnings above`);
  return code;
}

/** The last line: the number of requests of the report with and without described responses. */
function counted(report: unknown): string {
  const cases = isObject(report) ? report['test_cases'] : null;
  if (!isObject(cases)) throw new Error('the report of schemathesis has no test_cases');
  const { generated, with_failures: refuted, errored } = cases;
  const failed = Number(refuted) + Number(errored);
  return `${Number(generated) - failed} passed, ${failed} failed`;
}

const missing = await installSchemathesis();
if (missing !== null) {
  console.log(`SKIPPED: the contract test needs schemathesis, which is not available here: ${missing}`);
  process.exit(skippedExitCode);
}
// Generated addresses may only reach the loopback source, and rate limits are not tested.
const program = await startTestProgram({
  PLY_ALLOWED_HOST_CEILING: '127.0.0.1',
  PLY_REQUESTS_PER_MINUTE: '100000000',
  PLY_SEARCH_REQUESTS_PER_MINUTE: '100000000',
  PLY_REGISTRATIONS_PER_MINUTE: '100000000',
});
try {
  process.exitCode = await testContract(program, process.argv.includes('--short'));
} finally {
  await program.end();
}
