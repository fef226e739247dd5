import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { collectionMembers, libraryCollections } from '../../models/library-collection.ts';
import { systemScope } from '../../models/scope.ts';
import type { Registrar } from './registrar.ts';

const intervalMs = 2000;
const collectionsAtOnce = 20;
const membersAtOnce = 500;

/** Removes what tells of the members of deleted collections, some at a time: answers how many collections are gone. Each step may be repeated. */
export async function forgetDeletedCollections(registrar: Registrar, isStopping: () => boolean = () => false): Promise<number> {
  const { records } = registrar.house;
  const [collections, members] = [records.collection(libraryCollections, systemScope), records.collection(collectionMembers, systemScope)];
  const deleted = await collections.find({ filter: { deletedAt: { $exists: true } }, sort: [['deletedAt', 1]], limit: collectionsAtOnce });
  let gone = 0;
  for (const { _id, organizationId } of deleted) {
    while ((await members.removeMany({ organizationId, collectionId: _id }, membersAtOnce)) > 0) if (isStopping()) return gone;
    await collections.remove(_id);
    gone += 1;
  }
  return gone;
}

/** Does so every two seconds. Several processes may. */
export function collectionUpkeep(registrar: Registrar): Intake {
  return periodicIntake({
    name: 'deleted collections',
    everyMs: intervalMs,
    round: (isStopping) => forgetDeletedCollections(registrar, isStopping),
    failed: (error) => registrar.house.log.warn({ err: error }, 'deleted collections are forgotten later'),
  });
}
