import { WrongLength } from '../../../adapters/objects/port.ts';
import { errorCodes, isErrorCode, Refusal } from '../../../models/errors.ts';
import { faultOf } from './failures.ts';

const refusals = Object.keys(errorCodes).filter(isErrorCode);

describe('the Blob door', () => {
  it.each(refusals.filter((code) => code !== 'internal_error'))('has an answer to the refusal %s', (code) => {
    const fault = faultOf(new Refusal(code, { detail: 'A detail.' }));
    const { status } = errorCodes[code];
    expect(fault?.status).toBeGreaterThanOrEqual(400);
    // What a client was too slow for is a 500 in this protocol: OperationTimedOut.
    const isTemporary = status === 429 || status === 408 || code === 'upload_not_open' || code === 'object_busy';
    if (status < 500 && !isTemporary) expect(fault?.status).toBeLessThan(500);
    expect(fault?.code).not.toBe('InternalError');
  });

  it.each([
    ['rate_limited', 'ServerBusy', '7'],
    ['content_service_unavailable', 'ServerBusy', '7'],
    ['upload_not_open', 'ServerBusy', '7'],
  ] as const)('says when %s may be tried again', (type, code, retryAfter) => {
    const fault = faultOf(new Refusal(type, { retryable: true, retryAfter: 6.5 }));
    expect([fault?.code, fault?.details.headers]).toEqual([code, { 'Retry-After': retryAfter }]);
  });

  it('says that what is away may be tried again, and nothing of failures of its own', () => {
    const away = Object.assign(new Error('timeout'), { name: 'RequestTimeoutError' });
    expect(faultOf(away)?.status).toBe(503);
    expect(faultOf(new WrongLength(3))?.code).toBe('InvalidInput');
    expect(faultOf(new Error('a mistake'))).toBeNull();
    expect(faultOf(new Refusal('internal_error'))).toBeNull();
  });
});
