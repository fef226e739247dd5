import { stripVTControlCharacters } from 'node:util';

/** Numbers of tests by result, with the full names of those that did not pass. A failure has the first lines of its message. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  failures: readonly string[];
  skips: readonly string[];
  /** The files of tests that failed, for another run. */
  failedFiles: readonly string[];
  /** Failures of tests that passed when their files were run again. */
  unstable: readonly string[];
}

/** No tests. */
export const none: Counts = {
  passed: 0,
  failed: 0,
  skipped: 0,
  failures: [],
  skips: [],
  failedFiles: [],
  unstable: [],
};

/** The sum of two counts. */
export function plus(one: Counts, other: Counts): Counts {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    failures: [...one.failures, ...other.failures],
    skips: [...one.skips, ...other.skips],
    failedFiles: [...one.failedFiles, ...other.failedFiles],
    unstable: [...one.unstable, ...other.unstable],
  };
}

/** The used fields of the results that jest writes with `--json`. */
interface JestResults {
  success: boolean;
  testResults: {
    name: string;
    status: string;
    message?: string;
    assertionResults: { status: string; fullName: string; failureMessages?: string[] }[];
  }[];
}

/** Length of what is shown of a failure in the summary, which may be all that is kept of a run. */
const shownLength = 700;

/** The name of a failed test with the beginning of its message, without colours. */
function described(name: string, message: string | undefined): string {
  const plain = stripVTControlCharacters(message ?? '').trim();
  return plain === '' ? name : `${name}\n  ${plain.slice(0, shownLength).replaceAll('\n', '\n  ')}`;
}

/**
 * The counts of a run whose failed files were run again: of each file the second result holds.
 * @param first the counts of all files
 * @param again the counts of the files of `first` that failed
 */
export function afterSecondRun(first: Counts, again: Counts): Counts {
  const passedAlone = first.failed - again.failed;
  if (passedAlone <= 0) return { ...first, failures: [...new Set([...first.failures, ...again.failures])] };
  return {
    ...first,
    passed: first.passed + passedAlone,
    failed: again.failed,
    failures: again.failures,
    failedFiles: again.failedFiles,
    unstable: first.failures.filter((failure) => !again.failures.some((other) => nameOf(other) === nameOf(failure))),
  };
}

/** The name of the test of a described failure. */
function nameOf(failure: string): string {
  return failure.split('\n', 1)[0] ?? failure;
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
  const failed = tests
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => described(fullName, failureMessages?.[0]));
  const broken = testResults
    .filter(
      ({ status, assertionResults }) =>
        status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
    )
    .map(({ name, message }) => described(`${name} (the file itself)`, message));
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
    unstable: [],
    failedFiles: testResults.filter(({ status }) => status === 'failed').map(({ name }) => name),
  };
}
