import type { AssetView } from '../models/api.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { connect } from './connection.ts';
import { printable } from './terminal.ts';

/** `ply jobs [state]`: the latest job of each of the newest files. */
export async function jobs(configuration: Configuration, [state]: readonly string[]): Promise<string> {
  const connection = await connect(configuration);
  const body = await connection.ask('GET', `/activity?limit=50${state === undefined ? '' : `&state=${encodeURIComponent(state)}`}`);
  const items = body['items'] as AssetView[];
  if (items.length === 0) return state === undefined ? 'No files are registered yet: npm run ply -- add <folder>' : `No files whose job is ${state}.`;
  return items.map(({ latestJob: job, filename }) => [job.updatedAt, job.state.padEnd(22), `${job.progress}%`.padStart(4), (job.errorCode ?? '').padEnd(26), job.jobId, printable(filename)].join('  ')).join('\n');
}
