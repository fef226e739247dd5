import { p95, rateOf, type Dashboard } from './panels.ts';

/** From a registered file to a found passage. */
export const pipeline: Dashboard = {
  uid: 'ply-pipeline',
  title: 'Ply: pipeline',
  description: 'What waits for which stage, what the stages do, and how jobs end.',
  rows: [
    {
      title: 'What waits',
      panels: [
        { title: 'Jobs that wait', description: 'By the stage that they wait for. Every scheduler tells the same number.', unit: 'short', lines: [{ expr: 'max by (stage) (ply_jobs_waiting)', legend: '{{stage}}' }] },
        { title: 'Oldest waiting job', description: 'Time that the oldest job has waited for its stage.', unit: 's', lines: [{ expr: 'max by (stage) (ply_jobs_oldest_waiting_seconds)', legend: '{{stage}}' }] },
        { title: 'Oldest outbox', description: 'Time by which what a job owes to other stores is overdue.', unit: 's', lines: [{ expr: 'max(ply_outbox_oldest_seconds)', legend: 'overdue' }] },
      ],
    },
    {
      title: 'Work',
      panels: [
        { title: 'Steps done', description: 'Steps a second by stage and outcome.', unit: 'ops', lines: [{ expr: rateOf('ply_stage_duration_seconds_count', 'stage, outcome'), legend: '{{stage}} {{outcome}}' }] },
        { title: 'Time of a step by stage (p95)', description: 'From the claim to the written outcome.', unit: 's', lines: [{ expr: p95('ply_stage_duration_seconds', 'stage'), legend: '{{stage}}' }] },
        { title: 'Time of a step by format (p95)', description: 'Which formats are slow.', unit: 's', lines: [{ expr: p95('ply_stage_duration_seconds', 'stage, format', '{outcome="done"}'), legend: '{{stage}} {{format}}' }] },
        { title: 'Reads of sources', description: 'Requests to sources by outcome.', unit: 'ops', lines: [{ expr: rateOf('ply_source_request_duration_seconds_count', 'outcome'), legend: '{{outcome}}' }] },
      ],
    },
    {
      title: 'How jobs end',
      panels: [
        { title: 'Ready', description: 'Jobs that became ready, a minute.', unit: 'short', lines: [{ expr: 'sum(rate(ply_jobs_ended_total{state="ready"}[5m])) * 60', legend: 'a minute' }] },
        { title: 'Failed by code', description: 'Failed jobs of the last hour by their code: most are told by the file itself.', unit: 'short', lines: [{ expr: 'sum by (code) (increase(ply_jobs_ended_total{state="failed"}[1h]))', legend: '{{code}}' }] },
        { title: 'Put off', description: 'Steps that are tried again later, by code.', unit: 'ops', lines: [{ expr: rateOf('ply_job_retries_total', 'stage, code'), legend: '{{stage}} {{code}}' }] },
        { title: 'Leases lost', description: 'Workers that fell silent with work in their hands.', unit: 'short', lines: [{ expr: 'sum by (stage) (increase(ply_leases_lost_total[15m]))', legend: '{{stage}}' }] },
      ],
    },
    {
      title: 'Connectors',
      panels: [
        { title: 'Age of the oldest last success', description: 'Of the nightly connector that has waited longest for a sync that came to its end.', unit: 's', lines: [{ expr: 'max(ply_sync_oldest_success_age_seconds)', legend: 'age' }] },
        { title: 'Syncs', description: 'In the last day, by how they ended.', unit: 'short', lines: [{ expr: 'sum by (outcome) (increase(ply_syncs_total[1d]))', legend: '{{outcome}}' }] },
        { title: 'Files of syncs', description: 'In the last day, by what was found.', unit: 'short', lines: [{ expr: 'sum by (outcome) (increase(ply_sync_files_total[1d]))', legend: '{{outcome}}' }] },
      ],
    },
  ],
};
