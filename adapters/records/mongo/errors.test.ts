import { accounts } from '../../../models/organization.ts';
import { translated } from './errors.ts';

describe('failures of the MongoDB driver', () => {
  it('of a broken connection become StoreUnavailable, also if the driver passes them on unchanged', () => {
    for (const code of ['EPIPE', 'ECONNRESET', 'ETIMEDOUT']) {
      expect(translated(accounts, Object.assign(new Error('write EPIPE'), { code }))).toMatchObject({
        name: 'StoreUnavailable',
        cause: { code },
      });
    }
  });

  it('are recognized by their shape, also from another realm', () => {
    expect(translated(accounts, { name: 'Error', message: 'write EPIPE', code: 'EPIPE' })).toMatchObject({
      name: 'StoreUnavailable',
    });
  });

  it('that are bugs are unchanged', () => {
    const fault = Object.assign(new TypeError('not a function'), { code: 'ERR_INVALID_ARG_TYPE' });
    expect(translated(accounts, fault)).toBe(fault);
  });
});
