import { p95, type Dashboard } from './panels.ts';

const chosen = '{organization="$organization"}';

/** One organization among those that PLY_METRICS_ORGANIZATIONS names. */
export const organization: Dashboard = {
  uid: 'ply-organization',
  title: 'Ply: one organization',
  description: 'Requests and jobs of one of the organizations that PLY_METRICS_ORGANIZATIONS names; others have no figures of their own.',
  choices: [{ name: 'organization', label: 'Organization', query: 'label_values(ply_organization_request_duration_seconds_count, organization)' }],
  rows: [
    {
      title: 'Requests',
      panels: [
        { title: 'Rate by kind', description: 'Requests a second by rate class.', unit: 'reqps', lines: [{ expr: `sum by (class) (rate(ply_organization_request_duration_seconds_count${chosen}[5m]))`, legend: '{{class}}' }] },
        { title: 'p95 by kind', description: 'Time in which 95 of 100 were answered.', unit: 's', lines: [{ expr: p95('ply_organization_request_duration_seconds', 'class', chosen), legend: '{{class}}' }] },
        { title: 'Refused and failed', description: 'Answers of 4xx and 5xx a second.', unit: 'reqps', lines: ['4xx', '5xx'].map((outcome) => ({ expr: `sum(rate(ply_organization_request_duration_seconds_count{organization="$organization", outcome="${outcome}"}[5m]))`, legend: outcome })) },
      ],
    },
    {
      title: 'Jobs',
      panels: [
        { title: 'Jobs that wait', description: 'By stage.', unit: 'short', lines: [{ expr: `max by (stage) (ply_organization_jobs_waiting${chosen})`, legend: '{{stage}}' }] },
        { title: 'Jobs that ended', description: 'In the last hour, by how they ended.', unit: 'short', lines: [{ expr: `sum by (state) (increase(ply_organization_jobs_ended_total${chosen}[1h]))`, legend: '{{state}}' }] },
      ],
    },
  ],
};
