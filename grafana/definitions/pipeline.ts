import { p95, rateOf, type Dashboard } from './panels.ts';

/** From a registered file to a searchable passage. */
export const pipeline: Dashboard = {
  uid: 'ply-pipeline',
  title: 'Ply: pipeline',
  description: 'Waiting jobs by stage, the work of the stages, and how jobs end.',
  rows: [
    {
      title: 'Waiting work',
      panels: [
        {
          title: 'Waiting jobs',
          description: 'By the stage that they wait for. Every scheduler reports the same number.',
          unit: 'short',
          lines: [{ expr: 'max by (stage) (ply_jobs_waiting)', legend: '{{stage}}' }],
        },
        {
          title: 'Oldest waiting job',
          description: 'Time for which the oldest job has waited for its stage.',
          unit: 's',
          lines: [{ expr: 'max by (stage) (ply_jobs_oldest_waiting_seconds)', legend: '{{stage}}' }],
        },
        {
          title: 'Oldest outbox',
          description: 'Time by which the oldest follow-up write to another store is overdue.',
          unit: 's',
          lines: [{ expr: 'max(ply_outbox_oldest_seconds)', legend: 'overdue' }],
        },
      ],
    },
    {
      title: 'Work',
      panels: [
        {
          title: 'Completed steps',
          description: 'Steps per second by stage and outcome.',
          unit: 'ops',
          lines: [
            { expr: rateOf('ply_stage_duration_seconds_count', 'stage, outcome'), legend: '{{stage}} {{outcome}}' },
          ],
        },
        {
          title: 'Time of a step by stage (p95)',
          description: 'From the claim of the job to the stored outcome.',
          unit: 's',
          lines: [{ expr: p95('ply_stage_duration_seconds', 'stage'), legend: '{{stage}}' }],
        },
        {
          title: 'Time of a step by format (p95)',
          description: 'Which formats are slow.',
          unit: 's',
          lines: [
            {
              expr: p95('ply_stage_duration_seconds', 'stage, format', '{outcome="done"}'),
              legend: '{{stage}} {{format}}',
            },
          ],
        },
        {
          title: 'Reads of sources',
          description: 'Requests to sources per second, by outcome.',
          unit: 'ops',
          lines: [{ expr: rateOf('ply_source_request_duration_seconds_count', 'outcome'), legend: '{{outcome}}' }],
        },
      ],
    },
    {
      title: 'How jobs end',
      panels: [
        {
          title: 'Ready',
          description: 'Jobs that became ready, per minute.',
          unit: 'short',
          lines: [{ expr: 'sum(rate(ply_jobs_ended_total{state="ready"}[5m])) * 60', legend: 'per minute' }],
        },
        {
          title: 'Failed by code',
          description: 'Failed jobs of the last hour by error code. Most codes describe a problem of the file.',
          unit: 'short',
          lines: [
            { expr: 'sum by (code) (increase(ply_jobs_ended_total{state="failed"}[1h])) > 0', legend: '{{code}}' },
          ],
        },
        {
          title: 'Retries',
          description: 'Steps that will be retried, per second, by error code.',
          unit: 'ops',
          lines: [{ expr: `${rateOf('ply_job_retries_total', 'stage, code')} > 0`, legend: '{{stage}} {{code}}' }],
        },
        {
          title: 'Leases lost',
          description: 'Leases of jobs that expired in 15 minutes, because their workers stopped renewing them.',
          unit: 'short',
          lines: [{ expr: 'sum by (stage) (increase(ply_leases_lost_total[15m]))', legend: '{{stage}}' }],
        },
      ],
    },
    {
      title: 'Connectors',
      panels: [
        {
          title: 'Age of the oldest last success',
          description: 'Time since the last completed sync, of the nightly connector for which it is longest.',
          unit: 's',
          lines: [{ expr: 'max(ply_sync_oldest_success_age_seconds)', legend: 'age' }],
        },
        {
          title: 'Syncs',
          description: 'Syncs of the last day, by outcome.',
          unit: 'short',
          lines: [{ expr: 'sum by (outcome) (increase(ply_syncs_total[1d]))', legend: '{{outcome}}' }],
        },
        {
          title: 'Files of syncs',
          description: 'Files of the last day, by what the sync found.',
          unit: 'short',
          lines: [{ expr: 'sum by (outcome) (increase(ply_sync_files_total[1d]))', legend: '{{outcome}}' }],
        },
      ],
    },
  ],
};
