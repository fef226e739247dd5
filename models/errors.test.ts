import { errorCodes, invalid, Refusal, refusalOf } from './errors.ts';

describe('refusals', () => {
  it('are recognised after the broker has passed them on as plain errors', () => {
    const { name, message, code, type, data } = invalid(['body', 'offset'], 'too large');
    const crossed = Object.assign(new Error(message), { name, code, type, data });
    expect(refusalOf(crossed)).toEqual({
      code: 422,
      type: 'validation_error',
      data: { fields: ['body', 'offset'], detail: 'too large' },
    });
  });

  it('have the status of the table unless another is given', () => {
    expect(new Refusal('collection_not_found').code).toBe(404);
    expect(new Refusal('collection_not_found', { status: 400 }).code).toBe(400);
  });

  it('are not created from other errors', () => {
    expect(refusalOf(new Error('boom'))).toBeNull();
    expect(refusalOf({ name: 'Refusal', type: 'toString' })).toBeNull();
  });

  it('each have a status and a meaning', () => {
    for (const { status, meaning } of Object.values(errorCodes)) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(meaning.endsWith('.')).toBe(true);
    }
  });
});
