import { countJest, none, plus } from './counts.ts';

function results(...files: { status?: string; tests: Record<string, string> }[]): string {
  return JSON.stringify({
    testResults: files.map(({ status, tests }, index) => ({
      name: `file ${index}`,
      status: status ?? 'passed',
      assertionResults: Object.entries(tests).map(([fullName, state]) => ({ fullName, status: state })),
    })),
  });
}

describe('counts of a jest run', () => {
  it('tell passed, failed and skipped tests apart', () => {
    const json = results(
      { status: 'failed', tests: { a: 'passed', b: 'failed', c: 'pending' } },
      { tests: { d: 'passed', e: 'todo' } },
    );
    expect(countJest(json, 1)).toEqual({ passed: 2, failed: 1, skipped: 2, failures: ['b'], skips: ['c', 'e'] });
  });

  it('take a file that did not run for a failure', () => {
    expect(countJest(results({ status: 'failed', tests: {} }), 1)).toMatchObject({
      passed: 0,
      failed: 1,
      failures: ['file 0 (the file itself)'],
    });
  });

  it('take a failed run in which nothing failed for a failure', () => {
    expect(countJest(results({ tests: { a: 'passed' } }), 1)).toMatchObject({ passed: 1, failed: 1 });
  });

  it('take results that were not written to their end for a failure', () => {
    const json = results({ tests: { a: 'passed' } });
    for (const cut of ['', json.slice(0, -1)])
      expect(countJest(cut, 0)).toEqual({
        passed: 0,
        failed: 1,
        skipped: 0,
        failures: ['jest ended without whole results'],
        skips: [],
      });
  });

  it('add up', () => {
    const one = countJest(results({ status: 'failed', tests: { a: 'failed', b: 'passed' } }), 1);
    expect(plus(one, plus(none, one))).toEqual({ passed: 2, failed: 2, skipped: 0, failures: ['a', 'a'], skips: [] });
  });
});
