import { scopeOf } from '../../models/scope.ts';
import { OrganizationCache } from './organization-cache.ts';

describe('the cache of a value of each organization', () => {
  const scope = scopeOf('organization');
  let now: number;
  let loads: number;
  let load: () => Promise<string[]>;
  let cache: OrganizationCache<string[]>;
  beforeEach(() => {
    now = 1000;
    loads = 0;
    load = () => Promise.resolve(['en']);
    cache = new OrganizationCache({
      load: () => {
        loads += 1;
        return load();
      },
      isCacheable: (value) => value.length > 0,
      clock: { now: () => now },
    });
  });

  it('loads a value once a second', async () => {
    expect([await cache.get(scope), await cache.get(scope)]).toEqual([['en'], ['en']]);
    now += 1000;
    await cache.get(scope);
    expect(loads).toBe(1);
    now += 1;
    await cache.get(scope);
    expect(loads).toBe(2);
  });

  it('shares a load between concurrent reads', async () => {
    expect(await Promise.all([cache.get(scope), cache.get(scope)])).toEqual([['en'], ['en']]);
    expect(loads).toBe(1);
  });

  it('loads what is not cacheable each time, and after a failure', async () => {
    load = () => Promise.resolve([]);
    expect([await cache.get(scope), await cache.get(scope), loads]).toEqual([[], [], 2]);
    load = () => Promise.reject(new Error('away'));
    await expect(cache.get(scope)).rejects.toThrow('away');
    load = () => Promise.resolve(['de']);
    expect(await cache.get(scope)).toEqual(['de']);
  });

  it('loads a changed value at once, also while it is being loaded', async () => {
    await cache.get(scope);
    load = () => Promise.resolve(['en', 'de']);
    cache.invalidate('organization');
    expect(await cache.get(scope)).toEqual(['en', 'de']);
    now += 1001;
    const { promise, resolve } = Promise.withResolvers<string[]>();
    load = () => promise;
    const early = cache.get(scope);
    cache.invalidate('organization');
    load = () => Promise.resolve(['en', 'de', 'ar']);
    const late = cache.get(scope);
    resolve(['en']);
    expect([await early, await late, await cache.get(scope)]).toEqual([['en'], ['en', 'de', 'ar'], ['en', 'de', 'ar']]);
  });
});
