import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countryDatabase } from '../../test/support/country-database.ts';
import { startEdges, type TestEdge } from '../../test/support/edge.ts';
import { openCountries, type CountryRequest } from './countries.ts';

const unset = { PLY_COUNTRY_HEADER: null, PLY_GEOIP_FILE: null, PLY_TRUSTED_PROXIES: [] };

describe('the country of a request', () => {
  let folder: string;
  let path: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ply-countries-'));
    path = join(folder, 'countries.mmdb');
    writeFileSync(path, countryDatabase({ '203.0.113.0/24': 'IN', '198.51.100.0/25': 'DE', '192.0.2.0/24': 'ZZ' }));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const request = (headers: Record<string, string>, remoteAddress = '127.0.0.1'): CountryRequest => ({
    headers,
    socket: { remoteAddress },
  });

  it('is that of the address in the database', async () => {
    const countryOf = await openCountries({ ...unset, PLY_GEOIP_FILE: path });
    const of = (address: string): string | null => countryOf(request({}), address);
    expect([of('203.0.113.9'), of('198.51.100.1'), of('198.51.100.200')]).toEqual(['IN', 'DE', null]);
    expect([of('192.0.2.1'), of('2001:db8::1'), of('nonsense'), of('203.0.113.9')]).toEqual([null, null, null, 'IN']);
  });

  it('is that of the header of a trusted proxy, and of no other', async () => {
    const countryOf = await openCountries({
      PLY_GEOIP_FILE: path,
      PLY_COUNTRY_HEADER: 'CF-IPCountry',
      PLY_TRUSTED_PROXIES: ['10.0.0.0/8'],
    });
    const by = (code: string, proxy: string): string | null =>
      countryOf(request({ 'cf-ipcountry': code }, proxy), '203.0.113.9');
    expect([by('fr', '10.1.2.3'), by('FR', '::ffff:10.1.2.3')]).toEqual(['FR', 'FR']);
    expect([by('FR', '192.0.2.1'), by('T1', '10.1.2.3')]).toEqual(['IN', 'IN']);
  });

  it('stops the start where the database cannot be read', async () => {
    writeFileSync(join(folder, 'broken'), 'no database');
    for (const name of ['broken', 'missing'])
      await expect(openCountries({ ...unset, PLY_GEOIP_FILE: join(folder, name) })).rejects.toThrow('PLY_GEOIP_FILE');
  });

  it('decides by both lists; unknown ones pass a block list and fail an allow list', async () => {
    const stage = await startEdges(1, { PLY_GEOIP_FILE: path, PLY_TRUSTED_PROXIES: '127.0.0.1' });
    const [edge] = stage.edges as [TestEdge];
    let bucket = await stage.addBucket({ visibility: 'public' });
    await stage.put(bucket, 'a', 'x');
    const seen = async (lists: { countriesAllow?: string[]; countriesBlock?: string[] }): Promise<number[]> => {
      const delivery = { ...bucket.settings.delivery, countriesAllow: [], countriesBlock: [], ...lists };
      bucket = await stage.change(bucket, { settings: { ...bucket.settings, delivery } });
      const answers = ['203.0.113.9', '198.51.100.1', '8.8.8.8'].map((address) =>
        edge.get(`${bucket.name}.localhost`, '/a', { headers: { 'X-Forwarded-For': address } }),
      );
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    expect(await seen({})).toEqual([200, 200, 200]);
    expect(await seen({ countriesAllow: ['IN'] })).toEqual([200, 403, 403]);
    expect(await seen({ countriesBlock: ['IN'] })).toEqual([403, 200, 200]);
    expect(await seen({ countriesAllow: ['IN', 'DE'], countriesBlock: ['IN'] })).toEqual([403, 200, 403]);
    await stage.close();
  });
});
