import { Refusal } from '../../../models/errors.ts';
import { failureOf } from './failures.ts';

describe('the response to a failure', () => {
  it('is the refusal, if it is one', () => {
    expect(failureOf(new Refusal('asset_not_found'))).toMatchObject({
      status: 404,
      type: 'asset_not_found',
      internal: false,
    });
  });

  it.each(['ServiceNotFoundError', 'ServiceNotAvailableError', 'StoreUnavailable', 'RequestRejectedError'])(
    'is a retryable 503 if a part is unavailable or lacks the action (%s)',
    (name) => {
      expect(failureOf(Object.assign(new Error('away'), { name }))).toMatchObject({
        status: 503,
        type: 'content_service_unavailable',
        data: { retryable: true, retryAfter: 2 },
        internal: true,
      });
    },
  );

  it('is a retryable 503 for an unknown error code of a later version', () => {
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

  it('is an internal error otherwise', () => {
    expect(failureOf(new TypeError('x is not a function'))).toMatchObject({
      status: 500,
      type: 'internal_error',
      internal: true,
    });
    expect(failureOf('thrown')).toMatchObject({ status: 500 });
  });
});
