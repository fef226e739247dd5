import { p95, rateOf, type Dashboard } from './panels.ts';

const requests = 'ply_http_request_duration_seconds';

/** Whether the product is well, at one look. */
export const overview: Dashboard = {
  uid: 'ply-overview',
  title: 'Ply: overview',
  description: 'Whether the product is well: what must stay 0, how requests fare, what waits, and the processes themselves.',
  rows: [
    {
      title: 'What has to be so',
      panels: [
        { title: 'Parts that do not answer', description: 'Stores, models and features of any process. Above 0: see the dashboard of the stores.', unit: 'short', kind: 'stat', badFrom: 1, lines: [{ expr: 'count(ply_part_up == 0) or vector(0)', legend: 'away' }] },
        { title: 'Permission drops', description: 'Hits that the index gave and the records forbade, since the processes started. Must be 0.', unit: 'short', kind: 'stat', badFrom: 1, lines: [{ expr: 'sum(ply_permission_drops_total) or vector(0)', legend: 'drops' }] },
        { title: 'Oldest waiting job', description: 'How long the oldest job has waited for its stage.', unit: 's', kind: 'stat', warnFrom: 900, badFrom: 3600, lines: [{ expr: 'max(ply_jobs_oldest_waiting_seconds)', legend: 'waits' }] },
        { title: 'Requests answered well', description: 'Share of the last hour without an answer of 5xx.', unit: 'percentunit', kind: 'stat', lines: [{ expr: `1 - (sum(rate(${requests}_count{status=~"5.."}[1h])) or vector(0)) / sum(rate(${requests}_count[1h]))`, legend: 'good' }] },
      ],
    },
    {
      title: 'Requests',
      panels: [
        { title: 'Rate by status', description: 'Requests a second by the first digit of the status.', unit: 'reqps', lines: ['2', '3', '4', '5'].map((digit) => ({ expr: `sum(rate(${requests}_count{status=~"${digit}.."}[5m]))`, legend: `${digit}xx` })) },
        { title: 'Failures by route', description: 'Answers of 5xx a second.', unit: 'reqps', lines: [{ expr: rateOf(`${requests}_count`, 'method, route', '{status=~"5.."}'), legend: '{{method}} {{route}}' }] },
        { title: 'p95 of the slowest routes', description: 'Time in which 95 of 100 requests were answered.', unit: 's', lines: [{ expr: `topk(8, ${p95(requests, 'method, route')})`, legend: '{{method}} {{route}}' }] },
        { title: 'Slowest actions (p95)', description: 'Work of the actors behind the API.', unit: 's', lines: [{ expr: `topk(8, ${p95('ply_action_duration_seconds', 'action')})`, legend: '{{action}}' }] },
      ],
    },
    {
      title: 'Processes',
      panels: [
        { title: 'Memory', description: 'Resident memory of each process.', unit: 'bytes', lines: [{ expr: 'ply_process_resident_memory_bytes', legend: '{{instance}}' }] },
        { title: 'Processor', description: 'Processor seconds a second.', unit: 'short', lines: [{ expr: 'rate(ply_process_cpu_seconds_total[5m])', legend: '{{instance}}' }] },
        { title: 'Event loop delay (p99)', description: 'Above a tenth of a second something slow runs where it must not.', unit: 's', lines: [{ expr: 'ply_nodejs_eventloop_lag_p99_seconds', legend: '{{instance}}' }] },
        { title: 'Room of the data folder', description: 'Share of the disk that is free.', unit: 'percentunit', lines: [{ expr: 'ply_data_free_bytes / ply_data_size_bytes', legend: '{{instance}}' }] },
      ],
    },
  ],
};
