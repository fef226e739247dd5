import { p95, type Dashboard } from './panels.ts';

const chosen = '{organization="$organization"}';

/** Requests and jobs of one of the organizations in PLY_METRICS_ORGANIZATIONS. */
export const organization: Dashboard = {
  uid: 'ply-organization',
  title: 'Ply: one organization',
  description:
    'Requests and jobs of one of the organizations in PLY_METRICS_ORGANIZATIONS. Others have no metrics of their own.',
  choices: [
    {
      name: 'organization',
      label: 'Organization',
      query: 'label_values(ply_organization_request_duration_seconds_count, organization)',
    },
  ],
  rows: [
    {
      title: 'Requests',
      panels: [
        {
          title: 'Rate by kind',
          description: 'Requests per second by rate class.',
          unit: 'reqps',
          lines: [
            {
              expr: `sum by (class) (rate(ply_organization_request_duration_seconds_count${chosen}[5m]))`,
              legend: '{{class}}',
            },
          ],
        },
        {
          title: 'p95 by kind',
          description: 'Time within which 95 percent of requests were answered.',
          unit: 's',
          lines: [{ expr: p95('ply_organization_request_duration_seconds', 'class', chosen), legend: '{{class}}' }],
        },
        {
          title: 'Refused and failed requests',
          description: 'Responses with 4xx and 5xx per second.',
          unit: 'reqps',
          lines: ['4xx', '5xx'].map((outcome) => ({
            expr: `sum(rate(ply_organization_request_duration_seconds_count{organization="$organization", outcome="${outcome}"}[5m]))`,
            legend: outcome,
          })),
        },
      ],
    },
    {
      title: 'Jobs',
      panels: [
        {
          title: 'Waiting jobs',
          description: 'By stage.',
          unit: 'short',
          lines: [{ expr: `max by (stage) (ply_organization_jobs_waiting${chosen})`, legend: '{{stage}}' }],
        },
        {
          title: 'Ended jobs',
          description: 'In the last hour, by final state.',
          unit: 'short',
          lines: [
            { expr: `sum by (state) (increase(ply_organization_jobs_ended_total${chosen}[1h]))`, legend: '{{state}}' },
          ],
        },
      ],
    },
  ],
};
