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
    [{ conditions: [{ key: 'a' }] }, 'Policy missing expiration.'],
    [{ expiration }, 'Policy missing conditions.'],
    [{ expiration, conditions: { key: 'a' } }, "Invalid 'conditions' value: must be a List."],
    [{ expiration, conditions: [] }, 'conditions is empty.'],
    [{ expiration, conditions: [{ key: 'a' }], more: 1 }, 'Unexpected: "more"'],
    [{ expiration: 'tomorrow', conditions: [{ key: 'a' }] }, "Invalid 'expiration' value: 'tomorrow'"],
    [{ expiration: true, conditions: [{ key: 'a' }] }, 'Invalid JSON.'],
    [{ expiration, conditions: [true] }, 'Invalid condition test: must be a List or Object.'],
    [{ expiration, conditions: [{ key: 5 }] }, 'Invalid Simple-Condition: value must be a string.'],
    [
      { expiration, conditions: [{ key: 'a', acl: 'private' }] },
      'Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.',
    ],
    [{ expiration, conditions: [[]] }, 'Invalid Condition: missing operation identifier.'],
    [{ expiration, conditions: [['like', '$key', 'a']] }, "Invalid Condition: unknown operation 'like'."],
    [{ expiration, conditions: [['eq', '$key', 'a', 'b']] }, 'Invalid eq: wrong number of arguments.'],
    [{ expiration, conditions: [['eq', false, 'a']] }, 'Invalid JSON.'],
    [
      { expiration, conditions: [['content-length-range', 1]] },
      'Invalid content-length-range: wrong number of arguments.',
    ],
    [{ expiration, conditions: [['content-length-range', 1, false]] }, 'Invalid JSON.'],
    [{ expiration, conditions: [['content-length-range', 'some', '2']] }, 'Invalid JSON.'],
    ['text', 'Invalid JSON.'],
  ])('%j is not valid', (policy, message) => {
    expect(() => check(policy, { key: 'a' })).toThrow(
      expect.objectContaining({ code: 'InvalidPolicyDocument', message: `Invalid Policy: ${message}` }),
    );
  });

  it.each([
    ['', "Expecting '{' but found End-of-Input"],
    ['no_base64', 'invalid Base64 encoding.'],
    ['aW52YWxpZCBqc29u', 'Invalid JSON.'],
  ])('%j is no policy', (text, message) => {
    expect(() => checkPolicy(text, new Map(), { bucket: 'files', now })).toThrow(`Invalid Policy: ${message}`);
  });

  it.each([
    [{ expiration, conditions: [{ bucket: 'other' }, { key: 'a' }] }],
    [{ expiration: '2030-01-01T00:00:00Z', conditions: [{ bucket: 'files' }, { key: 'a' }] }],
    [{ expiration, conditions: [{ bucket: 'files' }, ['eq', 'key', 'a']] }],
  ])('%j does not allow the form', (policy) => {
    expect(() => check(policy, { key: 'a' })).toThrow(expect.objectContaining({ code: 'AccessDenied' }));
  });
});
