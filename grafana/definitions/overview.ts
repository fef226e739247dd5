import { p95, rateOf, type Dashboard } from './panels.ts';

const requests = 'ply_http_request_duration_seconds';

/** The health of the deployment at a glance. */
export const overview: Dashboard = {
  uid: 'ply-overview',
  title: 'Ply: overview',
  description: 'The health of the deployment: what must stay 0, requests, waiting jobs, and the processes.',
  rows: [
    {
      title: 'Health',
      panels: [
        {
          title: 'Unavailable parts',
          description:
            'Stores, models and features that do not respond to at least one process. If above 0, see the dashboard of the stores.',
          unit: 'short',
          kind: 'stat',
          badFrom: 1,
          lines: [{ expr: 'count(ply_part_up == 0) or vector(0)', legend: 'unavailable' }],
        },
        {
          title: 'Permission drops',
          description:
            'Hits that the index returned although it knew that permissions forbid them, since the processes started. Must be 0.',
          unit: 'short',
          kind: 'stat',
          badFrom: 1,
          lines: [{ expr: 'sum(ply_permission_drops_total) or vector(0)', legend: 'drops' }],
        },
        {
          title: 'Oldest waiting job',
          description: 'Time for which the oldest job has waited for its stage.',
          unit: 's',
          kind: 'stat',
          warnFrom: 900,
          badFrom: 3600,
          lines: [{ expr: 'max(ply_jobs_oldest_waiting_seconds)', legend: 'waiting time' }],
        },
        {
          title: 'Age of the last backup',
          description:
            'Time since the last complete backup by `ply backup --every`. Without a schedule there is no value.',
          unit: 's',
          kind: 'stat',
          warnFrom: 100_000,
          badFrom: 172_800,
          lines: [{ expr: 'max(time() - ply_backup_last_success_timestamp_seconds)', legend: 'age' }],
        },
        {
          title: 'Successful requests',
          description: "Share of the last hour's requests that were answered without 5xx.",
          unit: 'percentunit',
          kind: 'stat',
          lines: [
            {
              expr: '1 - sum(rate(ply_http_responses_total{class="5xx"}[1h])) / sum(rate(ply_http_responses_total[1h]))',
              legend: 'successful',
            },
          ],
        },
      ],
    },
    {
      title: 'Requests',
      panels: [
        {
          title: 'Rate by status',
          description: 'Requests per second by the first digit of the status.',
          unit: 'reqps',
          lines: ['2', '3', '4', '5'].map((digit) => ({
            expr: `sum(rate(ply_http_responses_total{class="${digit}xx"}[5m]))`,
            legend: `${digit}xx`,
          })),
        },
        {
          title: 'Rate by route',
          description: 'The ten routes with the most requests per second.',
          unit: 'reqps',
          lines: [
            { expr: `topk(10, ${rateOf(`${requests}_count`, 'method, route')})`, legend: '{{method}} {{route}}' },
          ],
        },
        {
          title: 'Failures by route',
          description: 'Responses with 5xx per second.',
          unit: 'reqps',
          lines: [
            { expr: rateOf(`${requests}_count`, 'method, route', '{status=~"5.."}'), legend: '{{method}} {{route}}' },
          ],
        },
        {
          title: 'Refused because of overload',
          description: 'Requests per second that were answered 503 at once, because too many were in progress.',
          unit: 'reqps',
          lines: [{ expr: rateOf('ply_requests_shed_total', 'by'), legend: '{{by}}' }],
        },
        {
          title: 'p95 of the slowest routes',
          description: 'Time within which 95 percent of requests were answered.',
          unit: 's',
          lines: [{ expr: `topk(8, ${p95(requests, 'method, route')})`, legend: '{{method}} {{route}}' }],
        },
        {
          title: 'Slowest actions (p95)',
          description: 'Actions behind the API, called over the broker.',
          unit: 's',
          lines: [{ expr: `topk(8, ${p95('ply_action_duration_seconds', 'action')})`, legend: '{{action}}' }],
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'Memory',
          description: 'Resident memory of each process.',
          unit: 'bytes',
          lines: [{ expr: 'ply_process_resident_memory_bytes', legend: '{{instance}}' }],
        },
        {
          title: 'Memory against the limit',
          description: 'Share of the memory that the container may use. Without a limit there is no line.',
          unit: 'percentunit',
          warnFrom: 0.8,
          badFrom: 0.95,
          lines: [
            {
              expr: 'ply_process_resident_memory_bytes / (ply_memory_limit_bytes > 0)',
              legend: '{{instance}}',
            },
          ],
        },
        {
          title: 'Versions',
          description: 'Processes by the version that they run. Two adjacent versions may run side by side.',
          unit: 'short',
          lines: [{ expr: 'count by (version) (ply_build_info)', legend: '{{version}}' }],
        },
        {
          title: 'CPU',
          description: 'CPU seconds per second.',
          unit: 'short',
          lines: [{ expr: 'rate(ply_process_cpu_seconds_total[5m])', legend: '{{instance}}' }],
        },
        {
          title: 'Event loop delay (p99)',
          description: 'Above 0.1 s, something blocks the event loop.',
          unit: 's',
          lines: [{ expr: 'ply_nodejs_eventloop_lag_p99_seconds', legend: '{{instance}}' }],
        },
        {
          title: 'Free space of the data folder',
          description: 'Share of the disk that is free.',
          unit: 'percentunit',
          lines: [{ expr: 'ply_data_free_bytes / ply_data_size_bytes', legend: '{{instance}}' }],
        },
      ],
    },
  ],
};
