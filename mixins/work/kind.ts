import type { CollectionDefinition } from '../../models/collection.ts';
import type { Runnable } from '../../models/work.ts';
import type { WorkContext } from '../work-context.ts';
import type { Cleanup, Transition } from './transitions.ts';

/** What follows from a failed stage: the run fails, the stage is retried, or the run waits until access is given. */
export type FailureOutcome = 'definite' | 'temporary' | 'access';

/** Why a stage was not done, as the run shows it. */
export interface WorkFailure {
  code: string;
  outcome: FailureOutcome;
}

/** How the attempt at a stage came out, for metrics. */
export interface StageMeasurement<T extends Runnable> {
  document: T;
  stage: string;
  outcome: string;
  seconds: number;
}

/**
 * A kind of work: the documents that carry its runs, its stages, and what is its own about them. Scheduler, workers and
 * sweeper (this folder) do the rest, alike for every kind.
 */
export interface WorkKind<T extends Runnable> extends Cleanup<T> {
  readonly collection: CollectionDefinition<T>;
  /** Stages that workers do, in their order. Names are unique across kinds. */
  readonly stages: readonly T['run']['stage'][];
  /**
   * Between whom turns are fair: the field that names them, and how many jobs of each stage one may have outstanding.
   * Organizations, and PLY_ORGANIZATION_SLOTS, if omitted. The collection's index of turns has the field.
   */
  readonly turns?: { readonly by: string; cap(stage: string): number };
  /** Delivers outbox items. Idempotent: after a crash they are delivered again. */
  deliver(document: T, items: T['outbox']): Promise<void>;
  /** Classifies what a stage threw. */
  failureOf(error: unknown): WorkFailure;
  /** The transition of a failure with the outcome `access`. Without it such a failure is temporary. */
  pause?(document: T, code: string, now: number): Transition;
  /** What logs and traces name, besides organization, job and stage. */
  context(document: T): WorkContext;
  measure(measurement: StageMeasurement<T>): void;
  /** Records the end of a run in metrics. Called by whoever wrote the end, once. */
  ended(document: T): void;
}
