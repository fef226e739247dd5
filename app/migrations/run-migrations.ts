import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Change, Records } from '../../adapters/records/port.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { keepLease } from '../../mixins/work/lease.ts';
import { claimLease, leaseDurationMs, underLease, type LeaseFields } from '../../models/lease.ts';
import { schemaDocuments, type SchemaDocument } from '../../models/migrations.ts';
import { systemScope } from '../../models/scope.ts';
import { noEarlierPrograms, type EarlierPrograms } from './earlier-programs.ts';
import { migrations, type Migration } from './steps.ts';

/** Documents in a page. */
const pageSize = 100;
/**
 * Pause between rounds, which repeat until all migrations are done: another process may migrate, or a store be
 * unavailable.
 */
const everyMs = 5000;
/** Delay of the first round, so that the start comes first. */
const firstMs = 500;

/** The part of the app context that migrations use. */
export interface MigrationContext {
  records: Records;
  nodeId: string;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** Options of a run of migrations. */
export interface MigrationOptions {
  isStopping?: () => boolean;
  /** All migrations, oldest first. */
  steps?: readonly Migration[];
  /** Documents in a page. */
  limit?: number;
  /** The other programs on the stores; none by default. */
  earlierPrograms?: EarlierPrograms;
  /**
   * Steps that this process completed while earlier programs served. They are repeated when those programs have
   * stopped.
   */
  walked?: Set<string>;
}

/** Whether all migrations are done. */
export function isMigrated({ done }: SchemaDocument, steps: readonly Migration[] = migrations): boolean {
  return steps.every(({ id }) => done.includes(id));
}

/** How the schema document keeps the lease of migrations: one process migrates at a time. */
const migrationLease: LeaseFields<SchemaDocument> = {
  token: 'token',
  read: ({ token, lease }) => ({ token, until: lease?.until ?? null }),
  write: (lease) => ({ token: lease.token, lease }),
};

/**
 * Runs the pending migrations page by page while the program serves. Each page is recorded before the next, so another
 * process can continue; a repeated page changes nothing. Programs of an earlier version keep writing documents of the
 * earlier form. So a step is done only when all documents were visited after the last of these programs stopped, and a
 * step whose result they cannot read starts only then.
 * @returns whether all migrations are done
 */
export async function runMigrations(app: MigrationContext, options: MigrationOptions = {}): Promise<boolean> {
  const {
    isStopping = () => false,
    steps = migrations,
    limit = pageSize,
    earlierPrograms = noEarlierPrograms,
    walked = new Set(),
  } = options;
  const { records, log, nodeId } = app;
  const documents = records.collection(schemaDocuments, systemScope);
  const before = await documents.get('schema');
  if (before === null || isMigrated(before, steps)) return before !== null;
  const isLast = earlierPrograms.areGone();
  if (!isLast && steps.every(({ id, needs }) => before.done.includes(id) || walked.has(id) || needs !== undefined))
    return false;
  const claim = claimLease(migrationLease, before, { owner: nodeId, now: records.time() });
  let held = claim === null ? null : await documents.update('schema', claim.filter, { set: claim.set });
  if (claim === null || held === null) return false;
  const leased = underLease(migrationLease, claim.lease);
  /** Null if another process has taken over. */
  const record = (set: NonNullable<Change['set']>): Promise<SchemaDocument | null> =>
    documents.update('schema', leased, { set });
  const lease = keepLease({
    durationMs: leaseDurationMs,
    log,
    renew: async () => (await record({ 'lease.until': records.time() + leaseDurationMs })) !== null,
  });
  try {
    for (const step of steps) {
      if (held.done.includes(step.id) || (!isLast && walked.has(step.id))) continue;
      // Later steps may depend on a waiting step.
      if (!isLast && step.needs !== undefined) return false;
      if ((step.needs ?? 0) > held.records) {
        // From here on earlier programs refuse to start. The quiet time reveals one that was already starting.
        held = await record({ records: step.needs ?? 0 });
        earlierPrograms.restart();
        if (held === null || !earlierPrograms.areGone()) return false;
      }
      const at: SchemaDocument['at'] = held.at;
      let after: string | null = at?.step === step.id && (!isLast || at.isLast === true) ? at.after : null;
      let changed = 0;
      do {
        if (isStopping() || lease.isLost) return false;
        const page = await step.apply(records, after, limit);
        changed += page.changed;
        after = page.last;
        const isDone = after === null && isLast && earlierPrograms.areGone();
        held = await record(
          isDone
            ? { done: [...held.done, step.id], at: null }
            : { at: after === null ? null : { step: step.id, after, isLast } },
        );
        if (held === null) return false;
        // Lets requests of clients run in between.
        await nextTurn();
      } while (after !== null);
      walked.add(step.id);
      // A new store has nothing to migrate: its first start does not log it.
      if (changed > 0) log.info({ migration: step.id, changed }, `migrated: ${step.what}`);
    }
    return isMigrated(held, steps);
  } finally {
    await lease.end();
    await documents.update('schema', leased, { set: { lease: null } });
  }
}

/** Runs the migrations in the background, from shortly after the start until all are done. */
export function migrationIntake(
  app: MigrationContext,
  found: SchemaDocument,
  earlierPrograms: EarlierPrograms,
): Intake {
  let isDone = isMigrated(found);
  const walked = new Set<string>();
  return periodicIntake({
    name: 'migrations',
    everyMs,
    firstMs,
    round: async (isStopping) => {
      if (!isDone) isDone = await runMigrations(app, { isStopping, earlierPrograms, walked });
    },
    failed: (error) => app.log.warn({ err: error }, 'migrations failed, will retry'),
  });
}
