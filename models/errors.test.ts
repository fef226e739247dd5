import { errorCodes, invalid, Refusal, refusalOf } from './errors.ts';

describe('refusals', () => {
  it('are recognised after they crossed the broker as plain errors', () => {
    const { name, message, code, type, data } = invalid(['body', 'offset'], 'too large');
    const crossed = Object.assign(new Error(message), { name, code, type, data });
    expect(refusalOf(crossed)).toEqual({ code: 422, type: 'validation_error', data: { fields: ['body', 'offset'], detail: 'too large' } });
  });

  it('carry the status of the table unless told otherwise', () => {
    expect(new Refusal('collection_not_found').code).toBe(404);
    expect(new Refusal('collection_not_found', { status: 400 }).code).toBe(400);
  });

  it('leave other errors alone', () => {
    expect(refusalOf(new Error('boom'))).toBeNull();
    expect(refusalOf({ name: 'Refusal', type: 'toString' })).toBeNull();
  });

  it('have a status and a meaning each', () => {
    for (const { status, meaning } of Object.values(errorCodes)) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(meaning.endsWith('.')).toBe(true);
    }
  });
});
