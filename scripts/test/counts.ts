/** How many tests ended how, with the full names of those that did not pass. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  failures: readonly string[];
  skips: readonly string[];
}

/** Nothing was run. */
export const none: Counts = { passed: 0, failed: 0, skipped: 0, failures: [], skips: [] };

/** Both together. */
export function plus(one: Counts, other: Counts): Counts {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    failures: [...one.failures, ...other.failures],
    skips: [...one.skips, ...other.skips],
  };
}

/** What is read of the results that jest writes with `--json`. */
interface JestResults {
  success: boolean;
  testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[];
}

const skippedStates = new Set(['pending', 'skipped', 'todo', 'disabled']);

/**
 * Counts the results of a jest run. A file that could not be run at all counts as one failed test, and so does a
 * run that failed although every test passed.
 * @param json what jest wrote with `--json`
 * @param exitCode what jest ended with
 */
export function countJest(json: string, exitCode: number): Counts {
  let results: JestResults;
  try {
    results = JSON.parse(json) as JestResults;
  } catch {
    // It ended while it wrote them, as a process does for which there is no memory left.
    return { ...none, failed: 1, failures: ['jest ended without whole results'] };
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
