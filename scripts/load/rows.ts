import type { K6Summary, Metric, ScriptName } from './k6.ts';
import type { Usage } from './watch.ts';

/** One line of a table of results. */
export interface Row {
  name: string;
  measured: string;
  /** The bound; empty where the figure is only told. */
  bound: string;
  /** Whether it was kept; null where there is none. */
  kept: boolean | null;
}

/** Growth of memory during the long run that is taken for a leak rather than for caches that fill. */
const mostGrowth = 1.25;

function rounded(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Which statistic of a metric a bound such as `p(95)<1000` is about. */
function statisticOf(limit: string): string {
  return /^[^<>=!\s]+/.exec(limit)?.[0] ?? '';
}

function readable({ type, contains, values }: Metric, limit: string): string {
  const value = values[statisticOf(limit)];
  if (value === undefined) return 'nothing';
  if (type === 'rate') return `${rounded(value * 100)}%`;
  return contains === 'time' ? `${rounded(value)} ms` : Number.isInteger(value) ? String(value) : rounded(value);
}

/** Statistics of a time beside the one that is bounded. */
function besides({ type, contains, values }: Metric, limit: string): string {
  if (type !== 'trend' || contains !== 'time' || values['count'] === 0) return '';
  const others = ['med', 'p(95)', 'max'].filter((name) => name !== statisticOf(limit));
  return ` (${others.map((name) => `${name} ${rounded(values[name] ?? Number.NaN)} ms`).join(', ')}, of ${values['count'] ?? 0})`;
}

/** Bounds that only make k6 keep a metric in its summary. */
const isNoBound = (limit: string): boolean => limit === 'max>=0';

/** Every threshold of a script, with what was measured. */
export function thresholdRows({ metrics }: K6Summary): Row[] {
  return Object.entries(metrics).toSorted(([a], [b]) => (a < b ? -1 : 1)).flatMap(([name, metric]) => Object.entries(metric.thresholds ?? {}).map(([limit, { ok }]): Row => ({
    name, measured: readable(metric, limit) + besides(metric, limit), bound: isNoBound(limit) ? '' : limit, kept: isNoBound(limit) ? null : ok,
  })));
}

/** Answered requests of a metric. A metric that was never added to is missing from the summary. */
function countOf({ metrics }: K6Summary, name: string): number {
  return metrics[name]?.values['count'] ?? 0;
}

/** Searches a second of a script that asks as fast as it is answered. */
export function searchesPerSecond(summary: K6Summary): number {
  return summary.metrics['iterations']?.values['rate'] ?? Number.NaN;
}

/** Processor milliseconds that the program used for a search of a script that does nothing but search. */
export function cpuPerSearch(summary: K6Summary, usage: Usage): number {
  return (usage.cpu * 1000) / countOf(summary, 'iterations');
}

function usageRows(name: ScriptName, { seconds, cpu, k6Cpu, memory }: Usage, short: boolean): Row[] {
  const rows: Row[] = [
    { name: 'cores that the program used', measured: `${(cpu / seconds).toFixed(2)}; k6 beside it ${(k6Cpu / seconds).toFixed(2)}`, bound: '', kept: null },
    { name: 'memory of the program, at its most', measured: `${memory.most.toFixed(0)} MB`, bound: '', kept: null },
  ];
  if (name !== 'soak') return rows;
  const growth = memory.last / memory.first;
  const growthRow: Row = { name: 'memory in the last third of the time over that in the first', measured: `${memory.last.toFixed(0)} MB / ${memory.first.toFixed(0)} MB = ${growth.toFixed(2)}`, bound: `<${mostGrowth}`, kept: growth < mostGrowth };
  // Seconds after the start nothing has settled: the short form only shows it.
  return [...rows, short ? { ...growthRow, bound: '', kept: null } : growthRow];
}

/** All that a run of a script told. */
export function rowsOf(name: ScriptName, summary: K6Summary, usage: Usage | null, short: boolean): Row[] {
  const rows = thresholdRows(summary);
  if (name === 'search-mix') {
    rows.unshift({ name: 'searches a second, eight readers', measured: rounded(searchesPerSecond(summary)), bound: '', kept: null });
    if (usage !== null) rows.push({ name: 'processor time of the program for a search', measured: `${rounded(cpuPerSearch(summary, usage))} ms`, bound: '', kept: null });
  }
  if (name === 'spike') rows.push({ name: 'searches that were not sent because 100 waited', measured: String(countOf(summary, 'dropped_iterations')), bound: '', kept: null });
  return usage === null ? rows : [...rows, ...usageRows(name, usage, short)];
}

/** Rows as a Markdown table. */
export function tableOf(rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const cells = rows.map(({ name, measured, bound, kept }) => [name.replaceAll('|', '\\|'), measured, bound, kept === null ? '' : kept ? 'yes' : '**no**']);
  return line(['figure', 'measured', 'bound', 'kept']) + line(Array<string>(4).fill('---')) + cells.map(line).join('');
}
