import { Refusal } from '../../../models/errors.ts';
import { failureOf } from './failures.ts';

describe('what a failure is to the client', () => {
  it('is the refusal that was made', () => {
    expect(failureOf(new Refusal('asset_not_found'))).toMatchObject({
      status: 404,
      type: 'asset_not_found',
      internal: false,
    });
  });

  it.each(['ServiceNotFoundError', 'ServiceNotAvailableError', 'StoreUnavailable', 'RequestRejectedError'])(
    'is 503, to be tried again, where a part is away or does not have the action yet (%s)',
    (name) => {
      expect(failureOf(Object.assign(new Error('away'), { name }))).toMatchObject({
        status: 503,
        type: 'content_service_unavailable',
        data: { retryable: true, retryAfter: 2 },
        internal: true,
      });
    },
  );

  it('is 503, to be tried again, where a part of a later version refuses with a code that is not known here', () => {
    const later = Object.assign(new Error('Of a later version.'), {
      name: 'Refusal',
      type: 'a_later_code',
      code: 409,
      data: {},
    });
    expect(failureOf(later)).toMatchObject({
      status: 503,
      type: 'content_service_unavailable',
      data: { retryable: true, retryAfter: 2 },
      internal: true,
    });
  });

  it('is a fault of ours otherwise', () => {
    expect(failureOf(new TypeError('x is not a function'))).toMatchObject({
      status: 500,
      type: 'internal_error',
      internal: true,
    });
    expect(failureOf('thrown')).toMatchObject({ status: 500 });
  });
});
