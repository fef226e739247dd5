import type { Asker } from './asker.ts';

/** The storage account: its successes and errors. */
export async function askAboutStorageAccount({ program, succeed, refused }: Asker): Promise<void> {
  await refused('readStorageAccount', 'storage_account_not_found');
  await refused('changeStorageAccount', 'storage_account_not_found', { body: { homeRegion: 'in-west' } });
  await refused('createStorageAccount', 'region_not_available', { body: { name: 'acme', homeRegion: 'moon' } });
  const { id } = await program.admin.createOrganization('With an account');
  await program.admin.as(id).get(201, 'POST', '/api/content/v1/storage-account', {
    body: { name: 'taken', homeRegion: 'in-west' },
  });
  await refused('createStorageAccount', 'storage_account_name_taken', {
    body: { name: 'taken', homeRegion: 'in-west' },
  });
  await succeed('createStorageAccount', { body: { name: 'acme', homeRegion: 'in-west' } });
  await refused('createStorageAccount', 'storage_account_exists', { body: { name: 'other', homeRegion: 'in-west' } });
  await succeed('readStorageAccount');
  await succeed('changeStorageAccount', { body: { homeRegion: 'us-east' } });
  await refused('changeStorageAccount', 'region_not_available', { body: { homeRegion: 'moon' } });
}
