import { accounts } from '../../../models/organization.ts';
import { translated } from './errors.ts';

describe('failures of the MongoDB driver', () => {
  it('that are a broken connection tell that the store is away, also where the driver passes them on as they are', () => {
    for (const code of ['EPIPE', 'ECONNRESET', 'ETIMEDOUT']) {
      expect(translated(accounts, Object.assign(new Error('write EPIPE'), { code }))).toMatchObject({
        name: 'StoreUnavailable',
        cause: { code },
      });
    }
  });

  it('are known by their form, also from another realm', () => {
    expect(translated(accounts, { name: 'Error', message: 'write EPIPE', code: 'EPIPE' })).toMatchObject({
      name: 'StoreUnavailable',
    });
  });

  it('that are faults of the program stay what they are', () => {
    const fault = Object.assign(new TypeError('not a function'), { code: 'ERR_INVALID_ARG_TYPE' });
    expect(translated(accounts, fault)).toBe(fault);
  });
});
