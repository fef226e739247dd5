import { rateOf, type Dashboard } from './panels.ts';

/** What S3 and Blob clients ask for, and how they are answered. */
export const doors: Dashboard = {
  uid: 'ply-doors',
  title: 'Ply: doors',
  description: 'What S3 and Blob clients ask for, and how they are answered.',
  rows: [
    {
      title: 'Requests',
      panels: [
        {
          title: 'Responses',
          description:
            'Responses of the doors per second, by the first digit of their status. Limited are those that the rate of a plan refused.',
          unit: 'reqps',
          lines: [{ expr: rateOf('ply_door_responses_total', 'door, class'), legend: '{{door}} {{class}}' }],
        },
        {
          title: 'Failures',
          description: 'Share of the responses that are failures of the service.',
          unit: 'percentunit',
          lines: [
            {
              expr: 'sum by (door) (rate(ply_door_responses_total{class="5xx"}[5m])) / sum by (door) (rate(ply_door_responses_total[5m]))',
              legend: '{{door}}',
            },
          ],
        },
        {
          title: 'Reads',
          description: 'Time in which 95 of 100 GET and HEAD requests were over, with their bytes.',
          unit: 's',
          lines: [
            {
              expr: 'histogram_quantile(0.95, sum by (door, le) (rate(ply_door_duration_seconds_bucket{method=~"GET|HEAD"}[5m])))',
              legend: '{{door}}',
            },
          ],
        },
        {
          title: 'Writes',
          description: 'Time in which 95 of 100 PUT and POST requests were over, with their bytes.',
          unit: 's',
          lines: [
            {
              expr: 'histogram_quantile(0.95, sum by (door, le) (rate(ply_door_duration_seconds_bucket{method=~"PUT|POST"}[5m])))',
              legend: '{{door}}',
            },
          ],
        },
      ],
    },
  ],
};
