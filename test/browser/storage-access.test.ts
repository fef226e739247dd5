import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { createBucket } from '../api/support/storage.ts';
import { ownerEnvironment } from '../api/support/session.ts';
import { freePort } from '../servers/ports.ts';
import { skipWithReason } from '../support/servers.ts';
import { enter, look, openChromium, openPage } from './support/dashboard.ts';

const browser = await openChromium();

if (typeof browser === 'string') skipWithReason('domains, purges and storage access in a browser', browser);
else
  describe('domains, purges and storage access', () => {
    let program: TestProgram;
    let bucketId: string;
    beforeAll(async () => {
      program = await startTestProgram({ ...ownerEnvironment, PLY_BLOB_PORT: String(await freePort()) });
      bucketId = (await createBucket(program.admin)).id;
    });
    afterAll(async () => {
      await browser.close();
      await program.end();
    });

    it('add a domain, show the records to set, and remove it by its name', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page, '/domains');
      await page.getByRole('heading', { name: 'No domains yet' }).waitFor();
      await page.getByRole('button', { name: 'Add a domain' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Hostname').fill('files.local');
      await dialog.getByRole('button', { name: 'Add a domain' }).click();
      await dialog.getByText('hostname_not_allowed').waitFor();
      await dialog.getByLabel('Hostname').fill('Files.Bücher.example.com');
      await dialog.getByRole('button', { name: 'Add a domain' }).click();
      await page.getByRole('heading', { name: 'files.bücher.example.com', level: 1 }).waitFor();
      expect(await page.getByLabel('TXT: Name').inputValue()).toBe('_plycdn.files.xn--bcher-kva.example.com');
      expect(await page.getByLabel('TXT: Value').inputValue()).toMatch(/^plycdn-verify=.{32}$/);
      await page.getByText('Routing (CNAME)').waitFor();
      await look(page, 'domain');
      await page.getByRole('button', { name: 'Check now' }).click();
      await page.getByText('The records are looked up').waitFor();
      await page.getByRole('button', { name: 'Check now' }).click();
      await page.getByText('domain_check_too_soon').waitFor();
      await page.goto(`/buckets/${bucketId}/domains`);
      await page.getByRole('link', { name: 'files.bücher.example.com' }).waitFor();
      await look(page, 'bucket-domains');
      await page.getByRole('link', { name: 'files.bücher.example.com' }).click();
      await page.getByRole('button', { name: 'Remove' }).click();
      await dialog.getByRole('textbox').fill('files.bücher.example.com');
      await dialog.getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('heading', { name: 'No domains yet' }).waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('purge copies and follow the purge to its end', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page, `/buckets/${bucketId}/purges`);
      await page.getByRole('heading', { name: 'No purges yet' }).waitFor();
      await page.getByRole('button', { name: 'Purge copies' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Paths that begin with').fill('/images');
      await dialog.getByRole('button', { name: 'Purge copies' }).click();
      await dialog.getByText(/Please check: .*prefixes/).waitFor();
      await dialog.getByLabel('Paths that begin with').fill('images/');
      await dialog.getByRole('button', { name: 'Purge copies' }).click();
      await page
        .getByRole('row', { name: /images\// })
        .getByText('Done')
        .waitFor();
      await look(page, 'purges');
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('create an account and credentials, whose secrets are shown once with configurations', async () => {
      const { page, faults } = await openPage(browser, program.url);
      await enter(page, '/storage-access');
      await page.getByRole('heading', { name: 'No credentials yet' }).waitFor();
      await page.getByLabel('Name of the account').fill('acme');
      await page.getByRole('button', { name: 'Create the account' }).click();
      await page.getByLabel('Blob endpoint').waitFor();

      const dialog = page.getByRole('dialog');
      const create = async (name: string, kind: 's3' | 'azure'): Promise<void> => {
        await page.getByRole('button', { name: 'Create a credential' }).click();
        await dialog.getByLabel('Name').fill(name);
        await dialog.getByLabel('For').selectOption(kind);
        await dialog.getByLabel('Write').check();
        if (name === 'nightly') await look(page, 'credential-create');
        await dialog.getByRole('button', { name: 'Create a credential' }).click();
      };
      await create('nightly', 's3');
      const secret = await dialog.getByLabel('Secret').inputValue();
      const settings = dialog.getByRole('textbox').last();
      for (const client of ['aws', 'rclone', 's3cmd']) {
        await dialog.getByLabel('Configuration for').selectOption(client);
        await dialog.getByLabel(new RegExp(`^${client}:`)).waitFor();
        expect(await settings.inputValue()).toContain(secret);
      }
      await look(page, 'credential');
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('cell', { name: 'nightly', exact: true }).waitFor();
      await dialog.waitFor({ state: 'detached' });
      expect(await page.content()).not.toContain(secret);

      await create('blobs', 'azure');
      await dialog.getByLabel('azcopy: in the shell').waitFor();
      expect(await settings.inputValue()).toMatch(/^azcopy copy .*sp=rwlc.*&sig=/);
      const sas = await settings.inputValue().then((text) => /\?(\S+)"/.exec(text)?.[1] ?? '');
      await dialog.getByRole('button', { name: 'Done' }).click();
      const endpoint = await page.getByLabel('Blob endpoint').inputValue();
      expect(endpoint).toMatch(/\/acme$/);
      expect((await fetch(`${endpoint}?comp=list&${sas}`)).status).toBe(200);
      expect((await fetch(`${endpoint}?comp=list&${sas.replace('sp=rw', 'sp=rwd')}`)).status).toBe(403);

      await page.getByRole('button', { name: 'Rotate nightly' }).click();
      await dialog.getByRole('button', { name: 'Rotate' }).click();
      expect(await dialog.getByLabel('Secret').inputValue()).not.toBe(secret);
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: 'Revoke nightly' }).last().click();
      await dialog.getByRole('textbox').fill('nightly');
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('cell', { name: 'Revoked' }).waitFor();
      await look(page, 'credentials');
      expect(faults).toEqual([]);
      await page.context().close();
    });

    it('fit a screen of 360 pixels', async () => {
      const { page } = await openPage(browser, program.url, 'dark');
      await page.setViewportSize({ width: 360, height: 740 });
      await enter(page);
      for (const path of ['/domains', '/storage-access', `/buckets/${bucketId}/purges`]) {
        await page.goto(path);
        await page.getByRole('heading', { level: 2 }).or(page.getByRole('table')).first().waitFor();
        await look(page, `narrow-${path.split('/').at(-1) ?? ''}`);
        expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 360]);
      }
      await page.context().close();
    });
  });
