import { addressMethods } from './address-of.ts';

describe('methods to obtain an address', () => {
  it.each([
    ['registered with nothing', null, null, null, ['public']],
    ['with an address', 'sealed', null, null, ['stored']],
    ['with a callbackKey', null, 'key', null, ['callback']],
    ['with both', 'sealed', 'key', null, ['callback', 'stored']],
    ['brought by a connector', null, null, 'connector', ['connector', 'public']],
    ['brought by a connector, and given an address', 'sealed', null, 'connector', ['stored', 'connector']],
    ['of a connector, with a callbackKey', null, 'key', 'connector', ['callback']],
  ])('of one %s', (_, sealedAccess, callbackKey, connectorId, methods) => {
    expect(addressMethods({ sealedAccess, callbackKey, connectorId })).toEqual(methods);
  });
});
