import { p95, rateOf, type Dashboard } from './panels.ts';

/** The stores and models that the program stands on. */
export const stores: Dashboard = {
  uid: 'ply-stores',
  title: 'Ply: stores and models',
  description: 'Whether the stores and models answer, and how fast.',
  rows: [
    {
      title: 'Stores',
      panels: [
        { title: 'Parts that answer', description: '1: it answers; 0: it does not.', unit: 'short', lines: [{ expr: 'min by (part) (ply_part_up)', legend: '{{part}}' }] },
        { title: 'Operations', description: 'A second, by store.', unit: 'ops', lines: [{ expr: rateOf('ply_store_duration_seconds_count', 'part'), legend: '{{part}}' }] },
        { title: 'Operations that failed', description: 'A second: the store was away, or too late.', unit: 'ops', lines: [{ expr: rateOf('ply_store_duration_seconds_count', 'part, operation', '{outcome="unavailable"}'), legend: '{{part}} {{operation}}' }] },
        { title: 'p95 by store', description: 'Time of 95 of 100 operations.', unit: 's', lines: [{ expr: p95('ply_store_duration_seconds', 'part'), legend: '{{part}}' }] },
        { title: 'Records: p95 by operation', description: 'Writes are as slow as the disk flushes.', unit: 's', lines: [{ expr: p95('ply_store_duration_seconds', 'operation', '{part="records"}'), legend: '{{operation}}' }] },
        { title: 'Passages: p95 by operation', description: 'Retrieval, and what indexing writes.', unit: 's', lines: [{ expr: p95('ply_store_duration_seconds', 'operation', '{part="passages"}'), legend: '{{operation}}' }] },
        { title: 'Blobs and counters: p95 by operation', description: 'Derived files, and rate limits.', unit: 's', lines: [{ expr: p95('ply_store_duration_seconds', 'part, operation', '{part=~"blobs|counters"}'), legend: '{{part}} {{operation}}' }] },
      ],
    },
    {
      title: 'Models',
      panels: [
        { title: 'Requests', description: 'A second, by model.', unit: 'ops', lines: [{ expr: rateOf('ply_model_duration_seconds_count', 'part, operation'), legend: '{{part}} {{operation}}' }] },
        { title: 'p95', description: 'Time of 95 of 100 requests.', unit: 's', lines: [{ expr: p95('ply_model_duration_seconds', 'part, operation'), legend: '{{part}} {{operation}}' }] },
        { title: 'Failures', description: 'A second.', unit: 'ops', lines: [{ expr: rateOf('ply_model_duration_seconds_count', 'part, outcome', '{outcome!="done"}'), legend: '{{part}} {{outcome}}' }] },
      ],
    },
  ],
};
