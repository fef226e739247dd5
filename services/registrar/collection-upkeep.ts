import type { Intake } from '../../mixins/lifecycle.ts';
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
  let timer: NodeJS.Timeout | null = null;
  let underWay: Promise<unknown> = Promise.resolve();
  let isStopping = false;
  const plan = (): void => {
    if (isStopping) return;
    timer = setTimeout(() => {
      underWay = forgetDeletedCollections(registrar, () => isStopping)
        .catch((error: unknown) => registrar.house.log.warn({ err: error }, 'deleted collections are forgotten later'))
        .finally(plan);
    }, intervalMs);
  };
  return {
    name: 'deleted collections',
    start: () => {
      plan();
      return Promise.resolve();
    },
    stop: async () => {
      isStopping = true;
      if (timer !== null) clearTimeout(timer);
      await underWay;
    },
  };
}
