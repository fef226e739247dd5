import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import type { Connector } from '../../models/connector.ts';
import { timeZoneOf } from './create.ts';
import { nextNight } from './night.ts';
import { mayBeSynced } from './notify.ts';
import { recordRequest } from './request-sync.ts';
import { allConnectors, writeAttempts, type ConnectorTools } from './tools.ts';

const everyMs = 5000;
const pageSize = 200;

/**
 * Requests the nightly syncs that are due, once each, also those that were missed while no process ran. Several
 * processes may run it at once: each night is one conditional write.
 */
export function nightlyIntake(tools: ConnectorTools): Intake {
  return periodicIntake({
    name: 'nightly syncs',
    everyMs,
    firstMs: 1,
    round: async (isStopping) => {
      while ((await nightlyRound(tools, isStopping)) === pageSize && !isStopping());
    },
    failed: (error) => tools.app.log.warn({ err: error }, 'requesting nightly syncs failed, will retry'),
  });
}

/** Requests the syncs of a page of due connectors; answers how many, at most 200. @throws StoreUnavailable */
export async function nightlyRound(tools: ConnectorTools, isStopping: () => boolean = () => false): Promise<number> {
  const { records } = tools.app;
  const due = await allConnectors(tools.app).find({
    filter: { nightlyDue: { $lte: records.time() } },
    sort: [['nightlyDue', 1]],
    limit: pageSize,
  });
  for (const connector of due) {
    if (isStopping()) break;
    await requestNightlySync(tools, connector);
  }
  return due.length;
}

/** Requests the sync of one night and sets the next night, in one write. */
async function requestNightlySync(tools: ConnectorTools, found: Connector): Promise<void> {
  const { app } = tools;
  const collection = allConnectors(app);
  const nightlyDue = nextNight(app.records.time(), await timeZoneOf(app, found.accountId), found._id);
  const isWanted = await mayBeSynced(app, found);
  let connector: Connector | null = found;
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    // Another process was first, or the connector was deleted or is no longer nightly.
    if (connector === null || connector.nightlyDue !== found.nightlyDue) return;
    const written = isWanted
      ? await recordRequest(tools, collection, connector, { delay: 0, isEvent: false, also: { nightlyDue } })
      : await collection.update(found._id, { nightlyDue: found.nightlyDue ?? null }, { set: { nightlyDue } });
    if (written !== null) return;
    connector = await collection.get(found._id);
  }
}
