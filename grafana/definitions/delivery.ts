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
          title: 'Responses',
          description: 'Responses of edges per second, by the first digit of their status.',
          unit: 'reqps',
          lines: [{ expr: rateOf('ply_delivery_responses_total', 'class'), legend: '{{class}}' }],
        },
        {
          title: 'Hits',
          description: 'Share of the delivered files of which the edge had a copy.',
          unit: 'percentunit',
          lines: [
            {
              expr: 'sum(rate(ply_delivery_responses_total{cache="hit"}[5m])) / sum(rate(ply_delivery_responses_total{cache=~"hit|miss"}[5m]))',
              legend: 'hits',
            },
          ],
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
      title: 'Changes and checks',
      panels: [
        {
          title: 'Changes that wait for edges',
          description: 'Age of the oldest purge or change of a bucket that not every edge has acknowledged.',
          unit: 's',
          lines: [{ expr: 'max(ply_edge_changes_oldest_seconds)', legend: 'oldest' }],
        },
        {
          title: 'Silence of the records',
          description:
            'Time since the edge that is worst off learned what changed. Beyond 3 seconds it delivers only what it has.',
          unit: 's',
          lines: [{ expr: 'max(ply_edge_silent_seconds)', legend: 'edge' }],
        },
        {
          title: 'Checks of SHA-256',
          description: 'Waiting time of the oldest check of an uploaded file.',
          unit: 's',
          lines: [{ expr: 'max(ply_checksum_checks_oldest_seconds)', legend: 'oldest' }],
        },
        {
          title: 'Certificates that are late',
          description: 'Custom domains whose certificate should have been renewed. Must stay 0.',
          unit: 'short',
          kind: 'stat',
          badFrom: 1,
          lines: [{ expr: 'max(ply_domain_certificates_late)', legend: 'late' }],
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
