import type { Caller } from '../../../models/api.ts';
import { buckets, type Bucket } from '../../../models/bucket.ts';
import { Refusal } from '../../../models/errors.ts';
import { accounts, organizations } from '../../../models/organization.ts';
import { systemScope } from '../../../models/scope.ts';
import { bucketOf, type FiguresContext } from './figures.ts';

/** Whose traffic is read: some organizations' whole, or one bucket of one organization. */
export interface View {
  organizations: readonly { id: string; name: string }[];
  bucketId: string | undefined;
}

/** Organizations that one answer spans at most. */
const maxOrganizations = 500;

/**
 * Whose traffic a caller sees: the account's own organization that of all organizations of the account, another one its
 * own.
 * @throws Refusal `bucket_not_found`, `too_many_organizations`
 */
export async function viewOf(
  app: Pick<FiguresContext, 'records'>,
  { accountId, organizationId }: Pick<Caller, 'accountId' | 'organizationId'>,
  bucketId: string | undefined,
): Promise<View> {
  const all = app.records.collection(organizations, systemScope);
  const isOwn = (await app.records.collection(accounts, systemScope).get(accountId))?.organizationId === organizationId;
  if (bucketId !== undefined) {
    const bucket = isOwn
      ? await bucketOfAccount(app, accountId, bucketId)
      : await bucketOf(app, organizationId, bucketId);
    const owner = await all.get(bucket.organizationId);
    return { organizations: [{ id: bucket.organizationId, name: owner?.name ?? '' }], bucketId };
  }
  if (!isOwn) {
    const own = await all.get(organizationId);
    return { organizations: [{ id: organizationId, name: own?.name ?? '' }], bucketId };
  }
  const found = await all.find({
    filter: { accountId },
    sort: [
      ['createdAt', 1],
      ['_id', 1],
    ],
    limit: maxOrganizations + 1,
  });
  if (found.length > maxOrganizations) throw new Refusal('too_many_organizations');
  return { organizations: found.map(({ _id, name }) => ({ id: _id, name })), bucketId };
}

async function bucketOfAccount(
  { records }: Pick<FiguresContext, 'records'>,
  accountId: string,
  bucketId: string,
): Promise<Bucket> {
  const bucket = await records.collection(buckets, systemScope).get(bucketId);
  if (bucket?.accountId !== accountId) throw new Refusal('bucket_not_found');
  return bucket;
}
