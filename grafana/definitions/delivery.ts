import { rateOf, type Dashboard } from './panels.ts';

/** What edges deliver, and whether it is counted. */
export const delivery: Dashboard = {
  uid: 'ply-delivery',
  title: 'Ply: delivery',
  description: 'What the edges deliver, from where, and whether it is counted.',
  rows: [
    {
      title: 'Edges',
      panels: [
        {
          title: 'Bytes',
          description: 'Bytes of bodies that edges sent, per second.',
          unit: 'bytes',
          lines: [{ expr: rateOf('ply_delivery_bytes_total', 'namespace'), legend: 'sent' }],
        },
        {
          title: 'Memory of copies',
          description: 'Copies of files that edges keep in memory.',
          unit: 'bytes',
          lines: [{ expr: 'sum(ply_delivery_cache_bytes)', legend: 'copies' }],
        },
      ],
    },
    {
      title: 'Counting',
      panels: [
        {
          title: 'Traffic that is not counted',
          description: 'Responses for which neither disk nor memory had room, in the last hour. Must stay 0.',
          unit: 'short',
          kind: 'stat',
          badFrom: 1,
          lines: [{ expr: 'sum(increase(ply_traffic_lost_total[1h]))', legend: 'lost' }],
        },
        {
          title: 'Delay',
          description: 'Age of the oldest traffic that is not in the totals: on the disks of edges, or stored.',
          unit: 's',
          lines: [
            { expr: 'max(ply_traffic_spool_oldest_seconds)', legend: 'at an edge' },
            { expr: 'max(ply_traffic_unfolded_oldest_seconds)', legend: 'stored' },
          ],
        },
        {
          title: 'Spool',
          description: 'Traffic on the disks of edges that the ledger has not acknowledged.',
          unit: 'bytes',
          lines: [{ expr: 'sum(ply_traffic_spool_bytes)', legend: 'spool' }],
        },
      ],
    },
  ],
};
