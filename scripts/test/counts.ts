/** Numbers of tests by result, with the full names of those that did not pass. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  failures: readonly string[];
  skips: readonly string[];
}

/** No tests. */
export const none: Counts = { passed: 0, failed: 0, skipped: 0, failures: [], skips: [] };

/** The sum of two counts. */
export function plus(one: Counts, other: Counts): Counts {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    failures: [...one.failures, ...other.failures],
    skips: [...one.skips, ...other.skips],
  };
}

/** The used fields of the results that jest writes with `--json`. */
interface JestResults {
  success: boolean;
  testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[];
}

const skippedStates = new Set(['pending', 'skipped', 'todo', 'disabled']);

/**
 * Counts the results of a jest run. A file that could not run counts as one failed test, and so does a run that failed
 * although every test passed.
 * @param json the results of jest's `--json`
 * @param exitCode the exit code of jest
 */
export function countJest(json: string, exitCode: number): Counts {
  let results: JestResults;
  try {
    results = JSON.parse(json) as JestResults;
  } catch {
    // It died while it wrote them, for example without memory.
    return { ...none, failed: 1, failures: ['jest ended without complete results'] };
  }
  const { testResults } = results;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  const broken = testResults
    .filter(
      ({ status, assertionResults }) =>
        status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
    )
    .map(({ name }) => `${name} (the file itself)`);
  const unexplained =
    exitCode !== 0 && failed.length + broken.length === 0 ? ['jest ended with a failure of its own'] : [];
  const failures = [...failed, ...broken, ...unexplained];
  const skips = tests.filter(({ status }) => skippedStates.has(status)).map(({ fullName }) => fullName);
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failed: failures.length,
    skipped: skips.length,
    failures,
    skips,
  };
}
