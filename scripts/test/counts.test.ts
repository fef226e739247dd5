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
  it('distinguish passed, failed and skipped tests', () => {
    const json = results(
      { status: 'failed', tests: { a: 'passed', b: 'failed', c: 'pending' } },
      { tests: { d: 'passed', e: 'todo' } },
    );
    expect(countJest(json, 1)).toEqual({ passed: 2, failed: 1, skipped: 2, failures: ['b'], skips: ['c', 'e'] });
  });

  it('count a file that did not run as a failure', () => {
    expect(countJest(results({ status: 'failed', tests: {} }), 1)).toMatchObject({
      passed: 0,
      failed: 1,
      failures: ['file 0 (the file itself)'],
    });
  });

  it('count a failed run without failed tests as a failure', () => {
    expect(countJest(results({ tests: { a: 'passed' } }), 1)).toMatchObject({ passed: 1, failed: 1 });
  });

  it('count incomplete results as a failure', () => {
    const json = results({ tests: { a: 'passed' } });
    for (const cut of ['', json.slice(0, -1)])
      expect(countJest(cut, 0)).toEqual({
        passed: 0,
        failed: 1,
        skipped: 0,
        failures: ['jest ended without complete results'],
        skips: [],
      });
  });

  it('add up', () => {
    const one = countJest(results({ status: 'failed', tests: { a: 'failed', b: 'passed' } }), 1);
    expect(plus(one, plus(none, one))).toEqual({ passed: 2, failed: 2, skipped: 0, failures: ['a', 'a'], skips: [] });
  });
});
