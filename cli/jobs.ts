import type { AssetView } from '../models/api.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { states } from '../models/schemas/answers/jobs.ts';
import { CommandError, connect } from './connection.ts';
import { printable } from './terminal.ts';

/** One file as a table row; rows are sorted by the first column. */
function line(
  registered: string,
  changed: string,
  state: string,
  done: string,
  error: string,
  job: string,
  file: string,
): string {
  return [
    registered.padEnd(24),
    changed.padEnd(24),
    state.padEnd(22),
    done.padStart(4),
    error.padEnd(26),
    job.padEnd(36),
    file,
  ].join('  ');
}

/** `ply jobs [state]`: the latest job of each of the newest files, in order of registration. */
export async function jobs(configuration: Configuration, [state]: readonly string[]): Promise<string> {
  if (state !== undefined && !states.some((known) => known === state))
    throw new CommandError(`Unknown state ${state}. States: ${states.join(', ')}.`);
  const connection = await connect(configuration);
  const body = await connection.ask(
    'GET',
    `/activity?limit=50${state === undefined ? '' : `&state=${encodeURIComponent(state)}`}`,
  );
  const items = body['items'] as AssetView[];
  if (items.length === 0)
    return state === undefined
      ? 'No files are registered yet: npm run ply -- add <folder>'
      : `No files whose job is ${state}.`;
  const lines = items.map(({ latestJob: job, createdAt, filename }) =>
    line(createdAt, job.updatedAt, job.state, `${job.progress}%`, job.errorCode ?? '', job.jobId, printable(filename)),
  );
  return [line('file registered', 'job changed', 'state', 'done', 'error', 'job', 'file'), ...lines].join('\n');
}
