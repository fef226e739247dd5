import { checkPolicy } from './policy.ts';

const now = Date.parse('2031-01-01T00:00:00Z');
const expiration = '2031-01-02T00:00:00Z';
const base64 = (policy: unknown): string => Buffer.from(JSON.stringify(policy)).toString('base64');
const check = (policy: unknown, fields: { [name: string]: string }) =>
  checkPolicy(base64(policy), new Map(Object.entries(fields)), { bucket: 'files', now });

describe('the policy of a form', () => {
  it('allows fields that fulfil its conditions', () => {
    const conditions = [
      { bucket: 'files' },
      ['starts-with', '$key', 'user/'],
      ['eq', '$Content-Type', 'text/plain'],
      ['content-length-range', 1, 10],
    ];
    const fields = { key: 'user/a', 'content-type': 'text/plain', policy: 'x', 'x-ignore-this': '1' };
    expect(check({ expiration, conditions }, fields)).toEqual({ min: 1, max: 10 });
    expect(() => check({ expiration, conditions }, { ...fields, key: 'a' })).toThrow('Policy Condition failed');
    expect(() => check({ expiration, conditions }, { ...fields, acl: 'private' })).toThrow('Extra input fields: acl');
  });

  it.each([
    [{ conditions: [{ key: 'a' }] }, 'InvalidPolicyDocument'],
    [{ expiration }, 'InvalidPolicyDocument'],
    [{ expiration, conditions: [] }, 'InvalidPolicyDocument'],
    [{ expiration: 'tomorrow', conditions: [{ key: 'a' }] }, 'InvalidPolicyDocument'],
    [{ expiration, conditions: [{ key: 5 }] }, 'InvalidPolicyDocument'],
    [{ expiration, conditions: [['like', '$key', 'a']] }, 'InvalidPolicyDocument'],
    [{ expiration, conditions: [['content-length-range', 1]] }, 'InvalidPolicyDocument'],
    [{ expiration, conditions: [{ bucket: 'other' }, { key: 'a' }] }, 'AccessDenied'],
    [{ expiration: '2030-01-01T00:00:00Z', conditions: [{ key: 'a' }] }, 'AccessDenied'],
    ['text', 'InvalidPolicyDocument'],
  ])('%j is refused', (policy, code) => {
    expect(() => check(policy, { key: 'a' })).toThrow(expect.objectContaining({ code }));
  });
});
