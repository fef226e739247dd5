import { p95, rateOf, type Dashboard } from './panels.ts';

const requests = 'ply_http_request_duration_seconds';
const family = '{route=~".*/(search|answer|suggest|assets/.*/related)"}';

/** Rate, time and failures of queries. */
export const search: Dashboard = {
  uid: 'ply-search',
  title: 'Ply: search',
  description: 'How many queries there are, how long they take, where the time goes, and what must stay 0.',
  rows: [
    {
      title: 'Queries',
      panels: [
        {
          title: 'Rate',
          description: 'Requests per second for search, answer, suggest and related files.',
          unit: 'reqps',
          lines: [{ expr: rateOf(`${requests}_count`, 'route', family), legend: '{{route}}' }],
        },
        {
          title: 'p95',
          description: 'Time within which 95 percent of requests were answered.',
          unit: 's',
          lines: [{ expr: p95(requests, 'route', family), legend: '{{route}}' }],
        },
        {
          title: 'Responses by status',
          description: 'Requests per second by status.',
          unit: 'reqps',
          lines: [{ expr: rateOf(`${requests}_count`, 'status', family), legend: '{{status}}' }],
        },
      ],
    },
    {
      title: 'Where the time goes',
      panels: [
        {
          title: 'Retrieval by leg (p95)',
          description: 'Retrieval by words, by meaning, or both.',
          unit: 's',
          lines: [
            {
              expr: p95('ply_store_duration_seconds', 'operation', '{part="passages", operation=~"retrieve_.*"}'),
              legend: '{{operation}}',
            },
          ],
        },
        {
          title: 'Retrievals by leg',
          description: 'Per second.',
          unit: 'ops',
          lines: [
            {
              expr: rateOf(
                'ply_store_duration_seconds_count',
                'operation',
                '{part="passages", operation=~"retrieve_.*"}',
              ),
              legend: '{{operation}}',
            },
          ],
        },
        {
          title: 'Query vector (p95)',
          description: 'Time of the embedding model or its server.',
          unit: 's',
          lines: [
            { expr: p95('ply_model_duration_seconds', 'part, operation', '{operation="query"}'), legend: '{{part}}' },
          ],
        },
        {
          title: 'Texts of the passages (p95)',
          description: 'Time to read the texts of the results.',
          unit: 's',
          lines: [
            {
              expr: p95('ply_store_duration_seconds', 'part', '{part="passages", operation="fetch"}'),
              legend: '{{part}}',
            },
          ],
        },
      ],
    },
    {
      title: 'What must stay 0',
      panels: [
        {
          title: 'Permission drops',
          description: 'Hits that the index returned although it knew that permissions forbid them.',
          unit: 'short',
          lines: [{ expr: 'ply_permission_drops_total', legend: '{{instance}}' }],
        },
        {
          title: 'Searches missing from the ledger',
          description: 'Completed searches whose usage could not be written.',
          unit: 'short',
          lines: [{ expr: 'ply_search_usage_lost_total', legend: '{{instance}}' }],
        },
        {
          title: 'Searches missing from the log',
          description: 'Completed searches that are missing from analytics.',
          unit: 'short',
          lines: [{ expr: 'ply_search_log_lost_total', legend: '{{instance}}' }],
        },
        {
          title: 'Answers quoted instead of written',
          description: 'Answers that the chat server could not write.',
          unit: 'short',
          lines: [{ expr: 'ply_answers_unwritten_total', legend: '{{instance}}' }],
        },
      ],
    },
  ],
};
