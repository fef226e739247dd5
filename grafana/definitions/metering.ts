import type { Dashboard } from './panels.ts';

/** Whether usage is counted, agrees with its events, and how quotas stand. */
export const metering: Dashboard = {
  uid: 'ply-metering',
  title: 'Ply: metering',
  description: 'Whether usage is counted, agrees with its events, and how many quotas are nearly used up.',
  rows: [
    {
      title: 'Counting',
      panels: [
        {
          title: 'Delay',
          description: 'Age of the oldest usage event that is in no figure yet; a few seconds in normal operation.',
          unit: 's',
          lines: [{ expr: 'max(ply_usage_oldest_uncounted_seconds)', legend: 'oldest' }],
        },
        {
          title: 'Last comparison with the events',
          description: 'Time since the account that waits longest was last reconciled; about a day.',
          unit: 's',
          lines: [{ expr: 'min(ply_usage_reconciled_oldest_seconds)', legend: 'oldest' }],
        },
        {
          title: 'Differences',
          description: 'Roll-ups that differed from their events and were replaced, in the last day. Must stay 0.',
          unit: 'short',
          kind: 'stat',
          badFrom: 1,
          lines: [
            {
              expr: 'sum(increase(ply_usage_reconciliation_differences_total[1d]))',
              legend: 'roll-ups',
            },
          ],
        },
      ],
    },
    {
      title: 'Quotas',
      panels: [
        {
          title: 'Quotas near 100 percent',
          description: 'Quotas of accounts of which 80 and 100 percent or more are used this month.',
          unit: 'short',
          lines: [{ expr: 'max by (percent) (ply_quotas_reached)', legend: '{{percent}} %' }],
        },
        {
          title: 'Alerts',
          description: 'Alert thresholds that accounts reached, in the last hour.',
          unit: 'short',
          lines: [{ expr: 'sum by (metric) (increase(ply_quota_alerts_total[1h]))', legend: '{{metric}}' }],
        },
      ],
    },
    {
      title: 'Statements',
      panels: [
        {
          title: 'Months closed',
          description: 'Months of accounts that were closed into a statement, in the last hour.',
          unit: 'short',
          lines: [{ expr: 'sum(increase(ply_statements_closed_total[1h]))', legend: 'statements' }],
        },
        {
          title: 'Longest overdue month',
          description: 'How long the month that waits longest has been due; under a minute in normal operation.',
          unit: 's',
          lines: [{ expr: 'max(ply_statements_overdue_seconds)', legend: 'overdue' }],
        },
      ],
    },
  ],
};
