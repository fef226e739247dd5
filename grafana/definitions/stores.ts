import { p95, rateOf, type Dashboard } from './panels.ts';

/** The stores and models that the program depends on. */
export const stores: Dashboard = {
  uid: 'ply-stores',
  title: 'Ply: stores and models',
  description: 'Whether the stores and models respond, and how fast.',
  rows: [
    {
      title: 'Stores',
      panels: [
        {
          title: 'Parts that respond',
          description: '1: every process gets a response. 0: at least one does not.',
          unit: 'short',
          lines: [{ expr: 'min by (part) (ply_part_up)', legend: '{{part}}' }],
        },
        {
          title: 'Operations',
          description: 'Per second, by store.',
          unit: 'ops',
          lines: [{ expr: rateOf('ply_store_duration_seconds_count', 'part'), legend: '{{part}}' }],
        },
        {
          title: 'Failed operations',
          description: 'Per second: the store was unavailable or too slow.',
          unit: 'ops',
          lines: [
            {
              expr: rateOf('ply_store_duration_seconds_count', 'part, operation', '{outcome="unavailable"}'),
              legend: '{{part}} {{operation}}',
            },
          ],
        },
        {
          title: 'p95 by store',
          description: 'Time within which 95 percent of operations were done.',
          unit: 's',
          lines: [{ expr: p95('ply_store_duration_seconds', 'part'), legend: '{{part}}' }],
        },
        {
          title: 'Records: p95 by operation',
          description: 'Writes take as long as the disk needs to flush.',
          unit: 's',
          lines: [
            { expr: p95('ply_store_duration_seconds', 'operation', '{part="records"}'), legend: '{{operation}}' },
          ],
        },
        {
          title: 'Passages: p95 by operation',
          description: 'Retrieval, and the writes of indexing.',
          unit: 's',
          lines: [
            { expr: p95('ply_store_duration_seconds', 'operation', '{part="passages"}'), legend: '{{operation}}' },
          ],
        },
        {
          title: 'Blobs and counters: p95 by operation',
          description: 'Derived files and rate limits.',
          unit: 's',
          lines: [
            {
              expr: p95('ply_store_duration_seconds', 'part, operation', '{part=~"blobs|counters"}'),
              legend: '{{part}} {{operation}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Models',
      panels: [
        {
          title: 'Requests',
          description: 'Per second, by model.',
          unit: 'ops',
          lines: [
            { expr: rateOf('ply_model_duration_seconds_count', 'part, operation'), legend: '{{part}} {{operation}}' },
          ],
        },
        {
          title: 'p95',
          description: 'Time within which 95 percent of requests were answered.',
          unit: 's',
          lines: [{ expr: p95('ply_model_duration_seconds', 'part, operation'), legend: '{{part}} {{operation}}' }],
        },
        {
          title: 'Failures',
          description: 'Per second.',
          unit: 'ops',
          lines: [
            {
              expr: rateOf('ply_model_duration_seconds_count', 'part, outcome', '{outcome!="done"}'),
              legend: '{{part}} {{outcome}}',
            },
          ],
        },
      ],
    },
  ],
};
