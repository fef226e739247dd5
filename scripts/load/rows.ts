import type { K6Summary, Metric, ScriptName } from './k6.ts';
import type { Course, Usage } from './watch.ts';

/** One row of a table of results. */
export interface Row {
  name: string;
  measured: string;
  /** The bound; empty if the figure is only shown. */
  bound: string;
  /** Whether the bound was met; null if there is none. */
  met: boolean | null;
}

/** Growth of memory during the soak above which it counts as a leak, and not as caches that fill. */
const maxGrowth = 1.25;
/** Share of a figure's first third by which it may grow per hour in the second half of the soak. */
const maxSlope = 0.5;
/** How much longer accepted searches may take in the overload than at capacity. */
const maxOverload = 2;

function rounded(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** The statistic of a metric that a bound such as `p(95)<1000` limits. */
function statisticOf(limit: string): string {
  return /^[^<>=!\s]+/.exec(limit)?.[0] ?? '';
}

function readable({ type, contains, values }: Metric, limit: string): string {
  const value = values[statisticOf(limit)];
  if (value === undefined) return 'nothing';
  if (type === 'rate') return `${rounded(value * 100)}%`;
  return contains === 'time' ? `${rounded(value)} ms` : Number.isInteger(value) ? String(value) : rounded(value);
}

/** Statistics of a time other than the limited one. */
function besides({ type, contains, values }: Metric, limit: string): string {
  if (type !== 'trend' || contains !== 'time' || values['count'] === 0) return '';
  const others = ['med', 'p(95)', 'max'].filter((name) => name !== statisticOf(limit));
  return ` (${others.map((name) => `${name} ${rounded(values[name] ?? Number.NaN)} ms`).join(', ')}, of ${values['count'] ?? 0})`;
}

/** Bounds that only make k6 keep a metric in its summary. */
const isNoBound = (limit: string): boolean => limit === 'max>=0' || limit === 'value>=0';

/** Every threshold of a script with its measured value. */
export function thresholdRows({ metrics }: K6Summary): Row[] {
  return Object.entries(metrics)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, metric]) =>
      Object.entries(metric.thresholds ?? {}).map(([limit, { ok }]): Row => ({
        name,
        measured: readable(metric, limit) + besides(metric, limit),
        bound: isNoBound(limit) ? '' : limit,
        met: isNoBound(limit) ? null : ok,
      })),
    );
}

/** The count of a metric. A metric that was never added to is missing from the summary. */
function countOf({ metrics }: K6Summary, name: string): number {
  return metrics[name]?.values['count'] ?? 0;
}

/**
 * Iterations per second of a script that begins the next one as soon as the last is answered: searches, files, or operations
 * at a door, some of which are several requests.
 */
export function iterationsPerSecond(summary: K6Summary): number {
  return summary.metrics['iterations']?.values['rate'] ?? Number.NaN;
}

/** CPU milliseconds of the program per search, for a script that only searches. */
export function cpuPerSearch(summary: K6Summary, usage: Usage): number {
  return (usage.cpu * 1000) / countOf(summary, 'iterations');
}

function usageRows(name: ScriptName, { seconds, cpu, k6Cpu, memory, handles }: Usage, short: boolean): Row[] {
  const rows: Row[] = [
    {
      name: 'CPU cores used by the program',
      measured: `${(cpu / seconds).toFixed(2)}; k6 used ${(k6Cpu / seconds).toFixed(2)}`,
      bound: '',
      met: null,
    },
    { name: 'maximum memory of the program', measured: `${memory.max.toFixed(0)} MB`, bound: '', met: null },
  ];
  if (name !== 'soak') return rows;
  // Seconds after the start, memory still grows: the short form only shows the figures.
  const bounded = (row: Row): Row => (short ? { ...row, bound: '', met: null } : row);
  return [
    ...rows,
    ...growthRows('memory', 'MB', memory).map(bounded),
    ...growthRows('open files and sockets', 'handles', handles).map(bounded),
  ];
}

/** Whether a figure grows over the time of a run: between its thirds, and per hour in its second half. */
function growthRows(what: string, unit: string, { first, last, slope }: Course): Row[] {
  const growth = last / first;
  return [
    {
      name: `${what} in the last third of the run / in the first third`,
      measured: `${last.toFixed(0)} ${unit} / ${first.toFixed(0)} ${unit} = ${growth.toFixed(2)}`,
      bound: `<${maxGrowth}`,
      met: growth < maxGrowth,
    },
    {
      name: `${what}: growth per hour in the second half`,
      measured: `${slope.toFixed(1)} ${unit}`,
      bound: `<${(first * maxSlope).toFixed(0)} ${unit}`,
      met: slope < first * maxSlope,
    },
  ];
}

/** How much longer accepted searches take at three times the capacity. */
function overloadRow({ metrics }: K6Summary): Row {
  const p95 = (scenario: string): number => metrics[`accepted{scenario:${scenario}}`]?.values['p(95)'] ?? Number.NaN;
  const ratio = p95('overload') / p95('capacity');
  return {
    name: 'p95 of accepted searches at three times the capacity / at capacity',
    measured: `${rounded(p95('overload'))} ms / ${rounded(p95('capacity'))} ms = ${ratio.toFixed(2)}`,
    bound: `<${maxOverload}`,
    met: ratio < maxOverload,
  };
}

/** All rows for a run of a script. */
export function rowsOf(name: ScriptName, summary: K6Summary, usage: Usage | null, short: boolean): Row[] {
  const rows = thresholdRows(summary);
  if (name === 'search-mix') {
    rows.unshift({
      name: 'searches per second, eight readers',
      measured: rounded(iterationsPerSecond(summary)),
      bound: '',
      met: null,
    });
    if (usage !== null)
      rows.push({
        name: 'CPU time of the program per search',
        measured: `${rounded(cpuPerSearch(summary, usage))} ms`,
        bound: '',
        met: null,
      });
  }
  if (name === 'delivery' || name === 'doors')
    rows.unshift({
      name: name === 'delivery' ? 'files per second, sixteen readers' : 'operations per second, sixteen clients',
      measured: rounded(iterationsPerSecond(summary)),
      bound: '',
      met: null,
    });
  if (name === 'overload') rows.push(overloadRow(summary));
  if (name === 'spike')
    rows.push({
      name: 'searches not sent because 100 were waiting',
      measured: String(countOf(summary, 'dropped_iterations')),
      bound: '',
      met: null,
    });
  return usage === null ? rows : [...rows, ...usageRows(name, usage, short)];
}

/** Rows as a Markdown table. */
export function tableOf(rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const cells = rows.map(({ name, measured, bound, met }) => [
    name.replaceAll('|', '\\|'),
    measured,
    bound,
    met === null ? '' : met ? 'yes' : '**no**',
  ]);
  return line(['figure', 'measured', 'bound', 'met']) + line(Array<string>(4).fill('---')) + cells.map(line).join('');
}
