import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../setup/paths.mjs';
import type { K6Summary } from './k6.ts';
import { readOptions } from './options.ts';
import { between, pageFile, resultsText, withSection } from './results.ts';
import { rowsOf, tableOf } from './rows.ts';
import { modelText, sizingText } from './sizing.ts';

const summary: K6Summary = {
  state: { testRunDurationMs: 2000 },
  metrics: {
    'http_req_duration{name:search}': {
      type: 'trend',
      contains: 'time',
      values: { count: 4, med: 10, 'p(95)': 20.44, max: 30 },
      thresholds: { 'p(95)<10': { ok: false } },
    },
    http_req_failed: {
      type: 'rate',
      contains: 'default',
      values: { rate: 0 },
      thresholds: { 'rate==0': { ok: true } },
    },
    ready_quiet: {
      type: 'trend',
      contains: 'time',
      values: { count: 4, med: 10, 'p(95)': 20, max: 30 },
      thresholds: { 'max>=0': { ok: true } },
    },
    files_of_neighbour: {
      type: 'gauge',
      contains: 'default',
      values: { value: 800, min: 800, max: 800 },
      thresholds: { 'value>=0': { ok: true } },
    },
    iterations: { type: 'counter', contains: 'default', values: { count: 4, rate: 2 } },
    http_reqs: { type: 'counter', contains: 'default', values: { count: 5, rate: 2.5 } },
  },
};
const used = {
  seconds: 2,
  cpu: 3,
  k6Cpu: 0.5,
  memory: { max: 410.2, first: 400, last: 600, slope: 300 },
  handles: { max: 101, first: 100, last: 100, slope: 2 },
};

describe('the rows of a script', () => {
  it('are its thresholds with the measured values, and the resources used', () => {
    expect(rowsOf('search-mix', summary, used, false)).toEqual([
      { name: 'searches per second, eight readers', measured: '2.00', bound: '', met: null },
      { name: 'files_of_neighbour', measured: '800', bound: '', met: null },
      {
        name: 'http_req_duration{name:search}',
        measured: '20.4 ms (med 10.0 ms, max 30.0 ms, of 4)',
        bound: 'p(95)<10',
        met: false,
      },
      { name: 'http_req_failed', measured: '0.00%', bound: 'rate==0', met: true },
      { name: 'ready_quiet', measured: '30.0 ms (med 10.0 ms, p(95) 20.0 ms, of 4)', bound: '', met: null },
      { name: 'CPU time of the program per search', measured: '750 ms', bound: '', met: null },
      { name: 'CPU cores used by the program', measured: '1.50; k6 used 0.25', bound: '', met: null },
      { name: 'maximum memory of the program', measured: '410 MB', bound: '', met: null },
    ]);
  });

  it('begin with the requests per second where readers ask again at once', () => {
    const first = { name: 'files per second, sixteen readers', measured: '2.00', bound: '', met: null };
    expect(rowsOf('delivery', summary, used, false)[0]).toEqual(first);
    // An operation at a door may be several requests: what is counted is operations.
    expect(rowsOf('doors', summary, used, false)[0]).toEqual({
      ...first,
      name: 'operations per second, sixteen clients',
    });
    expect(rowsOf('spike', summary, used, false)).not.toContainEqual(first);
  });

  it('limit the growth of memory in the soak, but not in its short form', () => {
    const growth = (short: boolean): unknown => rowsOf('soak', summary, used, short).at(-4);
    expect(growth(false)).toMatchObject({ measured: '600 MB / 400 MB = 1.50', bound: '<1.25', met: false });
    expect(growth(true)).toMatchObject({ bound: '', met: null });
    expect(rowsOf('soak', summary, used, false).slice(-3)).toMatchObject([
      { name: 'memory: growth per hour in the second half', measured: '300.0 MB', bound: '<200 MB', met: false },
      { measured: '100 handles / 100 handles = 1.00', met: true },
      { measured: '2.0 handles', bound: '<50 handles', met: true },
    ]);
  });

  it('compare accepted searches in the overload with those at capacity', () => {
    const trend = (p95: number) => ({ type: 'trend', contains: 'time', values: { 'p(95)': p95 } }) as const;
    const metrics = { 'accepted{scenario:capacity}': trend(90), 'accepted{scenario:overload}': trend(150) };
    const rows = rowsOf('overload', { metrics, state: { testRunDurationMs: 1 } }, null, false);
    expect(rows).toMatchObject([{ measured: '150 ms / 90.0 ms = 1.67', bound: '<2', met: true }]);
  });

  it('become a table', () => {
    expect(tableOf([{ name: 'a|b', measured: '1', bound: '<1', met: false }])).toBe(
      '| figure | measured | bound | met |\n| --- | --- | --- | --- |\n| a\\|b | 1 | <1 | **no** |\n',
    );
  });
});

describe('the page', () => {
  const page = readFileSync(pageFile, 'utf8');
  const bench = readFileSync(join(projectRoot, 'bench/results.md'), 'utf8');

  it('has markers for each of its tables, which are written between them and nowhere else', () => {
    for (const name of ['results', 'model', 'sizing']) {
      const written = between(page, name, 'new text');
      expect(written).toContain(`<!-- ${name}: begin -->\n\nnew text\n\n<!-- ${name}: end -->`);
      expect(between(written, name, 'new text')).toBe(written);
      expect(written.startsWith(page.slice(0, page.indexOf(`<!-- ${name}: begin -->`)))).toBe(true);
    }
    expect(() => between(page, 'another', '')).toThrow('no markers for another');
  });

  it('shows what was not measured', () => {
    expect(resultsText({})).toContain('### soak\n\nNot measured yet');
    expect(modelText(bench, {})).toContain('not measured yet');
    expect(sizingText(bench, {})).toContain('| not measured yet |');
  });

  it('checks the model against the search mix if it was run', () => {
    const section = { where: '', rows: [] };
    const results = {
      filling: { ...section, figures: { passages: 10_000, bytesPerPassage: 2000 } },
      'search-mix': { ...section, figures: { cpuPerSearch: 30 } },
    };
    expect(modelText(bench, results)).toMatch(
      /with 10,000 passages, a search took 30 ms of the program's CPU time. The model predicts [\d.]+ ms/,
    );
    expect(sizingText(bench, results)).toContain('| 2 MB |');
  });

  it('does not mix figures of a smaller library into the sizing', () => {
    const section = (where: string, cpuPerSearch: number) => ({ where, rows: [], figures: { cpuPerSearch } });
    const usual = withSection({}, 'search-mix', section('10,000', 30), { passages: 10_000 });
    expect(usual).toEqual({ 'search-mix': section('10,000', 30) });
    const smaller = withSection(usual, 'search-mix', section('1,000', 3), { passages: 1000 });
    expect(smaller).toEqual({ 'search-mix': section('1,000', 30) });
    expect(withSection(usual, 'filling', section('1,000', 3), { passages: 1000 })).toEqual(usual);
  });

  it('plans for at least the measured memory', () => {
    const text = sizingText(bench, { soak: { where: '', rows: [], figures: { memory: 99_000 } } });
    expect(text).toContain('the maximum of the load run (99,000 MB');
    expect(text).toContain('| 99,002 MB |');
  });
});

describe('the options', () => {
  it('default to all scripts', () => {
    expect(readOptions([])).toMatchObject({
      scripts: [
        'delivery',
        'doors',
        'search-mix',
        'spike',
        'overload',
        'registration-burst',
        'noisy-neighbour',
        'soak',
      ],
      short: false,
      passages: 10_000,
      wordsOnly: false,
    });
  });

  it('select scripts, in the order of a run', () => {
    expect(readOptions(['--only', 'soak', '--only', 'spike', '--short'])).toMatchObject({
      scripts: ['spike', 'soak'],
      short: true,
      passages: 300,
    });
  });

  it('are refused with a reason', () => {
    expect(() => readOptions(['--only', 'flood'])).toThrow('there is no script flood');
    expect(() => readOptions(['--passages', 'many'])).toThrow('whole number');
    expect(() => readOptions(['--fast'])).toThrow('--fast');
  });
});
