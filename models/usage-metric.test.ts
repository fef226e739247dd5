import { readFileSync } from 'node:fs';
import { metricOf, usageMetricNames } from './usage-metric.ts';

it('has a row for each metric in the documentation, with its unit and when it is counted', () => {
  const page = readFileSync('docs/metering.md', 'utf8');
  const rows = usageMetricNames.map((metric) => {
    const { unit, counted } = metricOf(metric);
    return `| \`${metric}\` | ${unit} | ${counted} |`;
  });
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});
