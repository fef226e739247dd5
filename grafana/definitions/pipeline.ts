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
        {
          title: 'Files in the library',
          description: 'Files of all organizations, counted every five minutes.',
          unit: 'short',
          lines: [{ expr: 'max(ply_library_files)', legend: 'files' }],
        },
      ],
    },
    {
      title: 'Work',
      panels: [
        {
          title: 'Slots in use',
          description: 'Share of the slots of all workers of a stage that have a job. Near 1, more workers help.',
          unit: 'percentunit',
          lines: [
            {
              expr: 'max by (stage) (ply_jobs_under_way) / (max by (stage) (ply_stage_slots) > 0)',
              legend: '{{stage}}',
            },
          ],
        },
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
          title: 'Unreadable messages',
          description:
            'Messages of the stage queue that no process could read, in the last hour. Their jobs are queued again.',
          unit: 'short',
          lines: [{ expr: 'sum by (stage) (increase(ply_queue_unreadable_total[1h]))', legend: '{{stage}}' }],
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
          title: 'Failing connectors',
          description: 'Enabled connectors whose last sync failed, or waits to be retried.',
          unit: 'short',
          lines: [{ expr: 'max(ply_connectors_failing)', legend: 'failing' }],
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
    {
      title: 'Videos',
      panels: [
        {
          title: 'Film waiting',
          description: 'Length of the films that wait to be encoded, by stage. Encoders are scaled by it.',
          unit: 's',
          lines: [{ expr: 'max by (stage) (ply_videos_waiting_film_seconds)', legend: '{{stage}}' }],
        },
        {
          title: 'Videos waiting',
          description: 'Videos that wait for their first quality, and for the others.',
          unit: 'short',
          lines: [{ expr: 'max by (stage) (ply_videos_waiting)', legend: '{{stage}}' }],
        },
        {
          title: 'Oldest waiting video',
          description: 'Time for which the oldest video has waited for its stage.',
          unit: 's',
          lines: [{ expr: 'max by (stage) (ply_videos_oldest_waiting_seconds)', legend: '{{stage}}' }],
        },
      ],
    },
    {
      title: 'Webhooks',
      panels: [
        {
          title: 'Time to the first attempt',
          description: 'From the making of a delivery to its first attempt; 95 of 100 are faster.',
          unit: 's',
          lines: [{ expr: p95('ply_webhook_first_attempt_seconds', ''), legend: 'p95' }],
        },
        {
          title: 'Requests to endpoints',
          description: 'Attempts at deliveries per second, by outcome.',
          unit: 'ops',
          lines: [{ expr: rateOf('ply_webhook_attempt_duration_seconds_count', 'outcome'), legend: '{{outcome}}' }],
        },
        {
          title: 'Failing endpoints',
          description: 'Endpoints whose last attempt failed.',
          unit: 'short',
          lines: [{ expr: 'max(ply_webhook_endpoints_failing)', legend: 'failing' }],
        },
        {
          title: 'Deliveries waiting',
          description: 'Deliveries whose attempt is due and has not begun, by queue.',
          unit: 'short',
          lines: [{ expr: 'max by (stage) (ply_webhook_deliveries_waiting)', legend: '{{stage}}' }],
        },
        {
          title: 'Deliveries ended',
          description: 'Deliveries of the last hour that arrived, or failed for good.',
          unit: 'short',
          lines: [{ expr: 'sum by (state) (increase(ply_webhook_deliveries_ended_total[1h]))', legend: '{{state}}' }],
        },
      ],
    },
  ],
};
