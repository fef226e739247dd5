import { afterSecondRun, countJest, none, plus } from './counts.ts';

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
    expect(countJest(json, 1)).toEqual({
      passed: 2,
      failed: 1,
      skipped: 2,
      failures: ['b'],
      skips: ['c', 'e'],
      failedFiles: ['file 0'],
      unstable: [],
    });
  });

  it('show the beginning of a failure without colours', () => {
    const test = {
      fullName: 'a',
      status: 'failed',
      failureMessages: [`\u001b[31mexpected 1\u001b[39m\nbut got 2${'x'.repeat(9000)}`],
    };
    const json = JSON.stringify({ testResults: [{ name: 'file', status: 'failed', assertionResults: [test] }] });
    const [shown = ''] = countJest(json, 1).failures;
    expect(shown).toMatch(/^a\n {2}expected 1\n {2}but got 2x+$/);
    expect(shown.length).toBeLessThan(800);
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
        failedFiles: [],
        unstable: [],
      });
  });

  it('take the second result of files that were run again, and name what passed then', () => {
    const first = countJest(results({ status: 'failed', tests: { a: 'failed', b: 'failed', c: 'passed' } }), 1);
    const again = countJest(results({ status: 'failed', tests: { a: 'passed', b: 'failed', c: 'passed' } }), 1);
    expect(afterSecondRun(first, again)).toMatchObject({ passed: 2, failed: 1, failures: ['b'], unstable: ['a'] });
    const well = countJest(results({ tests: { a: 'passed', b: 'passed', c: 'passed' } }), 0);
    expect(afterSecondRun(first, well)).toMatchObject({ passed: 3, failed: 0, failures: [], unstable: ['a', 'b'] });
    expect(afterSecondRun(first, first)).toMatchObject({ passed: 1, failed: 2, failures: ['a', 'b'], unstable: [] });
  });

  it('add up', () => {
    const one = countJest(results({ status: 'failed', tests: { a: 'failed', b: 'passed' } }), 1);
    expect(plus(one, plus(none, one))).toEqual({
      passed: 2,
      failed: 2,
      skipped: 0,
      failures: ['a', 'a'],
      skips: [],
      failedFiles: ['file 0', 'file 0'],
      unstable: [],
    });
  });
});
