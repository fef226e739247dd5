import { availableParallelism } from 'node:os';
import { integer, variable } from './variables.ts';

/** Variables that bound what a process does at a time: what exceeds them is refused. */
export const loadVariables = {
  PLY_REQUEST_SLOTS: variable(
    integer(1, 100_000),
    512,
    'Requests that a gateway has in progress at a time. Further ones are refused with 503 and Retry-After.',
  ),
  PLY_SEARCH_SLOTS: variable(
    integer(1, 10_000),
    5 * Math.max(1, availableParallelism()),
    'Searches that this process runs at a time under a lasting load; a burst may fill ten times as many, as far as that is done within 1.5 seconds. Further ones are refused with 503 and Retry-After, so that those that run are answered in time.',
    'five times the number of cores',
  ),
};
