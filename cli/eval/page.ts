import { CommandError } from '../connection.ts';
import { describeLocation } from '../search.ts';
import { expectedWords, changesBetween, figureRows, outcomeWords, type OutcomeChange, type Report } from './report.ts';
import type { Judged, Outcome, ShownResult } from './evaluate.ts';

/** Text of a file or of a user as HTML. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const style = `
:root { color-scheme: light dark; --line: #8886; --mark: #fd08; --good: #2a8; --bad: #d54; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { text-align: left; padding: .3rem 1.2rem .3rem 0; border-bottom: 1px solid var(--line); }
td.number { font-variant-numeric: tabular-nums; text-align: right; }
article { border-top: 1px solid var(--line); margin-top: 1.5rem; padding-top: .5rem; }
article h3 { margin: .3rem 0; }
ol { margin: .5rem 0; padding-left: 1.6rem; }
li { margin: .5rem 0; }
.passage { white-space: pre-wrap; overflow-wrap: anywhere; margin: .1rem 0; opacity: .85; }
.small { font-size: .9em; opacity: .75; }
.better { color: var(--good); }
.worse { color: var(--bad); }
mark { background: var(--mark); color: inherit; }
`;

/** A snippet with its highlights, which are in order and do not overlap. */
function snippetHtml({ snippet, highlights }: ShownResult): string {
  let html = '';
  let position = 0;
  for (const { start, end } of highlights) {
    html += `${escaped(snippet.slice(position, start))}<mark>${escaped(snippet.slice(start, end))}</mark>`;
    position = end;
  }
  return html + escaped(snippet.slice(position));
}

function resultHtml(result: ShownResult): string {
  const where = [result.filename, describeLocation(result.location)].filter((part) => part !== '').join(', ');
  return `<li>${escaped(where)} <span class="small">${result.confidence}, ${result.relevance.toFixed(2)}</span><div class="passage">${snippetHtml(result)}</div></li>`;
}

function missHtml(miss: Judged): string {
  const instead =
    miss.instead.length === 0
      ? '<p>Nothing is shown.</p>'
      : `<p>Shown instead:</p><ol>${miss.instead.map(resultHtml).join('')}</ol>`;
  return `<article><h3>${escaped(miss.question)}</h3>
<p>Expected <b>${escaped(expectedWords(miss))}</b> <span class="small">line ${miss.line}; ${escaped(miss.detail)}</span></p>
${instead}</article>`;
}

function figuresHtml({ figures }: Report, before: Report | null): string {
  const rows = figureRows.map(({ name, of }) => {
    const cells = [of(figures), ...(before === null ? [] : [of(before.figures)])];
    return `<tr><th>${escaped(name)}</th>${cells.map((cell) => `<td class="number">${escaped(cell)}</td>`).join('')}</tr>`;
  });
  const head = before === null ? '' : `<tr><th></th><th>now</th><th>before</th></tr>`;
  return `<table>${head}${rows.join('\n')}</table>`;
}

function changesHtml(title: string, kind: string, changes: readonly OutcomeChange[]): string {
  if (changes.length === 0) return '';
  const items = changes.map(
    ({ now, before }) =>
      `<li>${escaped(now.question)} <span class="small">line ${now.line}, ${escaped(expectedWords(now))}; before: ${escaped(outcomeWords[before.outcome])}; now: ${escaped(outcomeWords[now.outcome])}</span></li>`,
  );
  return `<h2 class="${kind}">${title} (${changes.length})</h2><ul>${items.join('')}</ul>`;
}

function missesHtml(report: Report, outcome: Outcome): string {
  const misses = report.judged.filter((each) => each.outcome === outcome);
  if (misses.length === 0) return '';
  const words = outcomeWords[outcome];
  return `<h2>${escaped(`${words.charAt(0).toUpperCase()}${words.slice(1)}`)} (${misses.length})</h2>${misses.map(missHtml).join('\n')}`;
}

/** The report as one page of HTML that needs nothing else, and that holds the report's data for later comparisons. */
export function reportPage(report: Report, before: Report | null): string {
  const { figures, name, madeAt, models } = report;
  const changes = before === null ? null : changesBetween(before, report);
  const outcomes = (Object.keys(outcomeWords) as Outcome[]).filter((outcome) => outcome !== 'found');
  const missed = outcomes.map((outcome) => missesHtml(report, outcome)).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Search evaluation: ${escaped(name)}</title>
<style>${style}</style>
</head>
<body>
<h1>Search evaluation: ${escaped(name)}</h1>
<p>${figures.questions} questions with ${figures.expected} expected files or places. ${escaped(madeAt)}${models === '' ? '' : `; embedding models: ${escaped(models)}`}.${before === null ? '' : ` Before: ${escaped(before.madeAt)}${before.models === '' ? '' : `; ${escaped(before.models)}`}.`}</p>
${figuresHtml(report, before)}
${changes === null ? '' : changesHtml('Found now, not before', 'better', changes.gained) + changesHtml('Found before, not now', 'worse', changes.lost)}
${missed === '' ? '<p>Nothing was missed.</p>' : missed}
<script type="application/json" id="report">${JSON.stringify(report).replaceAll('<', '\\u003c')}</script>
</body>
</html>
`;
}

/** The report that a page holds. @throws CommandError if the page holds none */
export function reportIn(page: string, path: string): Report {
  const [, data = ''] = /<script type="application\/json" id="report">([^<]*)<\/script>/.exec(page) ?? [];
  try {
    const report: unknown = JSON.parse(data);
    if (isReport(report)) return report;
  } catch {
    // Handled below like every page that is no report.
  }
  throw new CommandError(`${path} is not a page that npm run ply -- eval wrote.`);
}

function isReport(value: unknown): value is Report {
  if (typeof value !== 'object' || value === null || !('form' in value && 'figures' in value && 'judged' in value))
    return false;
  return value.form === 1 && typeof value.figures === 'object' && Array.isArray(value.judged);
}
