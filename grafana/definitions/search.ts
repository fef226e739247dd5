import { p95, rateOf, type Dashboard } from './panels.ts';

const requests = 'ply_http_request_duration_seconds';
const family = '{route=~".*/(search|answer|suggest|assets/.*/related)"}';

/** How queries fare. */
export const search: Dashboard = {
  uid: 'ply-search',
  title: 'Ply: search',
  description: 'How many queries there are, how long they take and where, and what must not happen.',
  rows: [
    {
      title: 'Queries',
      panels: [
        { title: 'Rate', description: 'Requests a second of the search family.', unit: 'reqps', lines: [{ expr: rateOf(`${requests}_count`, 'route', family), legend: '{{route}}' }] },
        { title: 'p95', description: 'Time in which 95 of 100 were answered.', unit: 's', lines: [{ expr: p95(requests, 'route', family), legend: '{{route}}' }] },
        { title: 'Answers by status', description: 'Requests a second by status.', unit: 'reqps', lines: [{ expr: rateOf(`${requests}_count`, 'status', family), legend: '{{status}}' }] },
      ],
    },
    {
      title: 'Where the time goes',
      panels: [
        { title: 'Retrieval by leg (p95)', description: 'Words alone, meaning alone, or both.', unit: 's', lines: [{ expr: p95('ply_store_duration_seconds', 'operation', '{part="passages", operation=~"retrieve_.*"}'), legend: '{{operation}}' }] },
        { title: 'Retrievals by leg', description: 'A second.', unit: 'ops', lines: [{ expr: rateOf('ply_store_duration_seconds_count', 'operation', '{part="passages", operation=~"retrieve_.*"}'), legend: '{{operation}}' }] },
        { title: 'Vector of the query (p95)', description: 'The embedding model, or its server.', unit: 's', lines: [{ expr: p95('ply_model_duration_seconds', 'part, operation', '{operation="query"}'), legend: '{{part}}' }] },
        { title: 'Texts of the passages (p95)', description: 'Reading what is shown.', unit: 's', lines: [{ expr: p95('ply_store_duration_seconds', 'part', '{part="passages", operation="fetch"}'), legend: '{{part}}' }] },
      ],
    },
    {
      title: 'What must stay 0',
      panels: [
        { title: 'Permission drops', description: 'Hits that the index gave knowing better, and the records forbade.', unit: 'short', lines: [{ expr: 'ply_permission_drops_total', legend: '{{instance}}' }] },
        { title: 'Searches that the ledger does not know', description: 'Finished searches whose usage could not be written.', unit: 'short', lines: [{ expr: 'ply_search_usage_lost_total', legend: '{{instance}}' }] },
        { title: 'Searches that the log does not know', description: 'Finished searches that are missing from analytics.', unit: 'short', lines: [{ expr: 'ply_search_log_lost_total', legend: '{{instance}}' }] },
        { title: 'Answers that were quoted instead', description: 'The chat server could not write them.', unit: 'short', lines: [{ expr: 'ply_answers_unwritten_total', legend: '{{instance}}' }] },
      ],
    },
  ],
};
