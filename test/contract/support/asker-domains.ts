import { randomUUID } from 'node:crypto';
import type { DomainView } from '../../../models/domain.ts';
import type { Asker } from './asker.ts';

/** Custom domains of an active bucket: their successes and errors. */
export async function askAboutDomains({ succeed, refused }: Asker, bucketId: string): Promise<void> {
  const key = (): { 'Idempotency-Key': string } => ({ 'Idempotency-Key': randomUUID() });
  const hostname = `files.${randomUUID()}.com`;
  const add = (name: string): { body: object; headers: { 'Idempotency-Key': string } } => ({
    body: { bucketId, hostname: name },
    headers: key(),
  });
  const first = add(hostname);
  const { id } = await succeed<DomainView>('addDomain', first);
  await refused('addDomain', 'idempotency_conflict', { ...first, body: { bucketId, hostname: 'other.com' } });
  await refused('addDomain', 'domain_exists', add(hostname));
  await refused('addDomain', 'hostname_not_allowed', add('files.local'));
  await refused('addDomain', 'bucket_not_found', { body: { bucketId: randomUUID(), hostname }, headers: key() });
  await succeed('readDomain', { ids: { domainId: id } });
  await succeed('checkDomain', { ids: { domainId: id } });
  await refused('checkDomain', 'domain_check_too_soon', { ids: { domainId: id } });
  for (let count = 1; count < 8; count += 1) await succeed('addDomain', add(`files.${randomUUID()}.com`));
  await refused('addDomain', 'domain_limit_reached', add(`files.${randomUUID()}.com`));
  const { nextCursor } = await succeed<{ nextCursor: string }>('listDomains', { query: '?limit=5' });
  await succeed('listDomains', { query: `?limit=5&cursor=${nextCursor}` });
  await succeed('removeDomain', { ids: { domainId: id } });
  for (const operation of ['readDomain', 'removeDomain', 'checkDomain'])
    await refused(operation, 'domain_not_found', { ids: { domainId: id } });
}
