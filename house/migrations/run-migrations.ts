import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Change, Collection, Records } from '../../adapters/records/port.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { schemaDocuments, type SchemaDocument } from '../../models/migrations.ts';
import { systemScope } from '../../models/scope.ts';
import { noCompany, type Company } from './company.ts';
import { migrations, type Migration } from './steps.ts';

/** Documents that are read at a time. */
const pageSize = 100;
/** A process that has not written for this long is taken to be gone. */
const leaseMs = 30_000;
/** Rounds come again until everything is done: another process may be at it, or a store away. */
const everyMs = 5000;
/** The start itself goes first. */
const firstMs = 500;

/** What migrations are carried out on. */
export interface MigrationHouse {
  records: Records;
  nodeId: string;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** How migrations are carried out. */
export interface MigrationOptions {
  isStopping?: () => boolean;
  /** All that there are, oldest first. */
  steps?: readonly Migration[];
  /** Documents that are read at a time. */
  limit?: number;
  /** Who else works on the stores; nobody where it is left out. */
  company?: Company;
  /** Steps that this process went through while earlier programs served: they are gone through once more when these are gone. */
  walked?: Set<string>;
}

/** Whether all of these migrations are done. */
export function isMigrated({ done }: SchemaDocument, steps: readonly Migration[] = migrations): boolean {
  return steps.every(({ id }) => done.includes(id));
}

/** One process at a time; a lease that ran out is taken over with a higher token. Null where another process has it. */
async function takeLease(documents: Collection<SchemaDocument>, { records, nodeId }: MigrationHouse): Promise<SchemaDocument | null> {
  const found = await documents.get('schema');
  if (found === null || (found.lease !== null && found.lease.until > records.time())) return null;
  const token = found.token + 1;
  return documents.update('schema', { token: found.token }, { set: { token, lease: { owner: nodeId, token, until: records.time() + leaseMs } } });
}

/**
 * Carries out what is not done, page by page, while the program serves. Each page is told before the next, so that another
 * process goes on where this one stopped; a page that is done twice changes nothing. While programs of an earlier version
 * serve, they write documents of the earlier form behind the page under way: so a step is done when all documents were gone
 * through after the last of these programs, and one that they cannot read begins no sooner.
 * @returns whether everything is done
 */
export async function runMigrations(house: MigrationHouse, options: MigrationOptions = {}): Promise<boolean> {
  const { isStopping = () => false, steps = migrations, limit = pageSize, company = noCompany, walked = new Set() } = options;
  const { records, log, nodeId } = house;
  const documents = records.collection(schemaDocuments, systemScope);
  const before = await documents.get('schema');
  if (before === null || isMigrated(before, steps)) return before !== null;
  const isLast = company.isAlone();
  if (!isLast && steps.every(({ id, needs }) => before.done.includes(id) || walked.has(id) || needs !== undefined)) return false;
  let held = await takeLease(documents, house);
  if (held === null) return false;
  const { token } = held;
  /** Null when another process has taken over. */
  const tell = (set: NonNullable<Change['set']>): Promise<SchemaDocument | null> =>
    documents.update('schema', { token }, { set: { lease: { owner: nodeId, token, until: records.time() + leaseMs }, ...set } });
  try {
    for (const step of steps) {
      if (held.done.includes(step.id) || (!isLast && walked.has(step.id))) continue;
      // Steps behind one that waits may need it.
      if (!isLast && step.needs !== undefined) return false;
      if ((step.needs ?? 0) > held.records) {
        // From here on earlier programs do not start; one that was starting just now is heard of within the next while.
        held = await tell({ records: step.needs ?? 0 });
        company.beginAnew();
        if (held === null || !company.isAlone()) return false;
      }
      const at: SchemaDocument['at'] = held.at;
      let after: string | null = at?.step === step.id && (!isLast || at.isLast === true) ? at.after : null;
      let changed = 0;
      do {
        if (isStopping()) return false;
        const page = await step.apply(records, after, limit);
        changed += page.changed;
        after = page.last;
        const isDone = after === null && isLast && company.isAlone();
        held = await tell(isDone ? { done: [...held.done, step.id], at: null } : { at: after === null ? null : { step: step.id, after, isLast } });
        if (held === null) return false;
        // What clients ask for goes in between.
        await nextTurn();
      } while (after !== null);
      walked.add(step.id);
      // A new store has nothing of an earlier version: who starts for the first time need not read of it.
      if (changed > 0) log.info({ migration: step.id, changed }, `brought forward: ${step.what}`);
    }
    return isMigrated(held, steps);
  } finally {
    await documents.update('schema', { token }, { set: { lease: null } });
  }
}

/** Brings the stores forward in the background, from a moment after the start until everything is done. */
export function migrationIntake(house: MigrationHouse, found: SchemaDocument, company: Company): Intake {
  let isDone = isMigrated(found);
  const walked = new Set<string>();
  return periodicIntake({
    name: 'migrations',
    everyMs,
    firstMs,
    round: async (isStopping) => {
      if (!isDone) isDone = await runMigrations(house, { isStopping, company, walked });
    },
    failed: (error) => house.log.warn({ err: error }, 'migrations go on later'),
  });
}
