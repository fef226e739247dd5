import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { collectionMembers, libraryCollections } from '../../models/library-collection.ts';
import { systemScope } from '../../models/scope.ts';
import type { Registrar } from './registrar.ts';

const intervalMs = 2000;
const collectionsAtOnce = 20;
const membersAtOnce = 500;

/** Removes the members of deleted collections, in batches. Returns how many collections are gone. Repeatable. */
export async function forgetDeletedCollections(
  registrar: Registrar,
  isStopping: () => boolean = () => false,
): Promise<number> {
  const { records } = registrar.app;
  const [collections, members] = [
    records.collection(libraryCollections, systemScope),
    records.collection(collectionMembers, systemScope),
  ];
  const deleted = await collections.find({
    filter: { deletedAt: { $exists: true } },
    sort: [['deletedAt', 1]],
    limit: collectionsAtOnce,
  });
  let gone = 0;
  for (const { _id, organizationId } of deleted) {
    while ((await members.removeMany({ organizationId, collectionId: _id }, membersAtOnce)) > 0)
      if (isStopping()) return gone;
    await collections.remove(_id);
    gone += 1;
  }
  return gone;
}

/** Removes deleted collections every two seconds. Several processes may run it at once. */
export function collectionUpkeep(registrar: Registrar): Intake {
  return periodicIntake({
    name: 'deleted collections',
    everyMs: intervalMs,
    round: (isStopping) => forgetDeletedCollections(registrar, isStopping),
    failed: (error) => registrar.app.log.warn({ err: error }, 'removing deleted collections failed, will retry'),
  });
}
