import { refusalOf, type RefusalDetails } from '../../models/errors.ts';
import { checkSourceAccess, checkSourceUrl, type AddressRules } from './addresses.ts';
import { hostMatches, isPatternWithinCeiling, isWithinCeiling } from './hosts.ts';

const outside: AddressRules = { privateNetworks: 'deny' };
const inside: AddressRules = { privateNetworks: 'allow' };

/** The code of the refusal, or `accepted`. */
function outcomeOf(check: () => unknown): string {
  return refused(check)?.type ?? 'accepted';
}

function refused(check: () => unknown): { code: number; type: string; data: RefusalDetails } | null {
  try {
    check();
    return null;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return refusal;
  }
}

describe('the address of a source', () => {
  it.each([
    ['https://files.example.com/a/b.pdf', 'https://files.example.com/a/b.pdf'],
    ['HTTPS://Files.Example.COM:443/a b.pdf?version=3', 'https://files.example.com/a%20b.pdf?version=3'],
    ['https://files.example.com', 'https://files.example.com/'],
    ['https://8.8.8.8/a', 'https://8.8.8.8/a'],
    [`https://h.example/${'\u{1f600}'.repeat(4078)}`, `https://h.example/${'%F0%9F%98%80'.repeat(4078)}`],
    ['https://files.example.com/a?se=2026', 'https://files.example.com/a?se=2026'],
    [
      'https://files.example.com/a?tokens=1&signed=no&sigma=2',
      'https://files.example.com/a?tokens=1&signed=no&sigma=2',
    ],
  ])('%s is taken', (given, normal) => {
    expect(checkSourceUrl(given, outside).href).toBe(normal);
  });

  it.each([
    ['https://user@files.example.com/a'],
    ['https://user:secret@files.example.com/a'],
    ['https://:secret@files.example.com/a'],
    ['https://f.example.com/a?X-Amz-Signature=1'],
    ['https://f.example.com/a?x-amz-security-token=1'],
    ['https://f.example.com/a?X-Goog-Signature=1'],
    ['https://f.example.com/a?sig=1'],
    ['https://f.example.com/a?SIG=1'],
    ['https://f.example.com/a?%73ig=1'],
    ['https://f.example.com/a?b=c&sp=r&se=2026'],
    ['https://f.example.com/a?Signature=1'],
    ['https://f.example.com/a?token=1'],
    ['https://f.example.com/a?access_token'],
    ['https://f.example.com/a?AWSAccessKeyId=1'],
  ])('%s contains credentials', (given) => {
    expect(outcomeOf(() => checkSourceUrl(given, outside))).toBe('source_url_must_be_unsigned');
  });

  it.each([
    [''],
    ['files.example.com/a'],
    ['/a'],
    ['//files.example.com/a'],
    ['https:files.example.com'],
    ['https:/files.example.com'],
    ['https:///files.example.com/a'],
    ['ftp://files.example.com/a'],
    ['file:///etc/passwd'],
    ['data:,x'],
    ['https://'],
    ['https://files.example.com/a#part'],
    ['https://files.example.com/a#'],
    [' https://files.example.com/a'],
    ['https://files.example.com/a\n'],
    ['https://fi\tles.example.com/a'],
    ['https://127.0.0.1\\@files.example.com/'],
    [`https://files.example.com/${'a'.repeat(4096)}`],
    ['http://files.example.com/a'],
    ['https://files.example.com:8443/a'],
    ['https://files.example.com:80/a'],
  ])('%j is not valid', (given) => {
    expect(refused(() => checkSourceUrl(given, outside))).toMatchObject({
      code: 422,
      type: 'validation_error',
      data: { fields: ['body', 'sourceUrl'] },
    });
  });

  it.each([
    ['https://127.0.0.1/a'],
    ['https://0x7f.1/a'],
    ['https://2130706433/a'],
    ['https://[::1]/a'],
    ['https://[::ffff:10.0.0.1]/a'],
    ['https://169.254.169.254/a'],
    ['https://10.1.2.3/a'],
  ])('%s is not a public address', (given) => {
    expect(refused(() => checkSourceUrl(given, outside))).toMatchObject({ code: 403, type: 'source_host_not_allowed' });
  });

  it('may be http, have any port and be private if private networks are allowed', () => {
    expect(checkSourceUrl('http://127.0.0.1:8080/a.pdf', inside).href).toBe('http://127.0.0.1:8080/a.pdf');
    expect(outcomeOf(() => checkSourceUrl('http://169.254.169.254/a', inside))).toBe('source_host_not_allowed');
  });

  it('is reported with the field of the request', () => {
    expect(
      refused(() => checkSourceUrl('no', { ...outside, field: ['body', 'items', 3, 'sourceUrl'] }))?.data.fields,
    ).toEqual(['body', 'items', 3, 'sourceUrl']);
  });

  it('must be within the ceiling', () => {
    const rules = { ...outside, ceiling: ['*.example.com'] };
    expect(outcomeOf(() => checkSourceUrl('https://a.example.com/x', rules))).toBe('accepted');
    expect(outcomeOf(() => checkSourceUrl('https://example.com/x', rules))).toBe('source_host_outside_ceiling');
  });
});

describe('access to a source', () => {
  const registered = 'https://files.example.com/a/b%20c.pdf';
  const address = (access: { url: string; sasToken?: string | null }, rules = outside) =>
    checkSourceAccess(access, registered, rules);

  it.each([
    [{ url: registered }, { address: registered, signed: false }],
    [
      { url: registered, sasToken: null },
      { address: registered, signed: false },
    ],
    [{ url: `${registered}?sig=1` }, { address: `${registered}?sig=1`, signed: true }],
    [{ url: 'https://FILES.example.com:443/a/b c.pdf?sig=1' }, { address: `${registered}?sig=1`, signed: true }],
    [
      { url: registered, sasToken: 'sv=1&sig=a%2Bb' },
      { address: `${registered}?sv=1&sig=a%2Bb`, signed: true },
    ],
    [
      { url: registered, sasToken: '?sv=1&sig=a%2Bb' },
      { address: `${registered}?sv=1&sig=a%2Bb`, signed: true },
    ],
    [
      { url: `${registered}?version=2`, sasToken: '?sig=1' },
      { address: `${registered}?version=2&sig=1`, signed: true },
    ],
    [
      { url: `${registered}?`, sasToken: 'sig=1' },
      { address: `${registered}?sig=1`, signed: true },
    ],
  ])('%j is accepted', (access, expected) => {
    expect(address(access)).toEqual(expected);
  });

  it.each([
    [{ url: `${registered}?sig=1`, sasToken: 'sig=2' }, 'ambiguous_source_credentials'],
    [{ url: 'https://files.example.com/a/other.pdf' }, 'source_access_mismatch'],
    [{ url: 'https://other.example.com/a/b%20c.pdf?sig=1' }, 'source_access_mismatch'],
    [{ url: 'http://files.example.com/a/b%20c.pdf?sig=1' }, 'source_access_mismatch'],
    [{ url: 'https://files.example.com:8443/a/b%20c.pdf?sig=1' }, 'source_access_mismatch'],
    [{ url: 'https://user:secret@files.example.com/a/b%20c.pdf' }, 'source_access_mismatch'],
    [{ url: `${registered}#part` }, 'validation_error'],
    [{ url: 'no address' }, 'validation_error'],
    [{ url: registered, sasToken: '' }, 'validation_error'],
    [{ url: registered, sasToken: '?' }, 'validation_error'],
    [{ url: `${registered}?sig=1`, sasToken: '?' }, 'validation_error'],
    [{ url: registered, sasToken: 'sig=1 \n' }, 'validation_error'],
    [{ url: registered, sasToken: 'sig=1#x' }, 'validation_error'],
  ])('%j is refused', (access, code) => {
    expect(outcomeOf(() => address(access))).toBe(code);
  });

  it('is reported with the invalid field', () => {
    expect(refused(() => address({ url: registered, sasToken: '' }))?.data.fields).toEqual([
      'body',
      'sourceAccess',
      'sasToken',
    ]);
    expect(refused(() => address({ url: 'no' }))?.data.fields).toEqual(['body', 'sourceAccess', 'url']);
    expect(refused(() => address({ url: 'no' }, { ...outside, field: ['body'] }))?.data.fields).toEqual([
      'body',
      'url',
    ]);
  });
});

describe('lists of hosts', () => {
  it('a star matches every name below, at any depth, and not the domain', () => {
    const list = ['*.example.com', 'plain.test'];
    for (const host of ['a.example.com', 'a.b.example.com', 'A.Example.COM', 'a.example.com.', 'plain.test'])
      expect(hostMatches(host, list)).toBe(true);
    for (const host of ['example.com', 'badexample.com', 'example.com.evil.test', 'a.plain.test', '.example.com', ''])
      expect(hostMatches(host, list)).toBe(false);
    expect(hostMatches('a.example.com', [])).toBe(false);
  });

  it('a ceiling without hosts is unbounded', () => {
    expect(isWithinCeiling('any.test', [])).toBe(true);
    expect(isWithinCeiling('any.test', ['other.test'])).toBe(false);
  });

  it('a pattern is within the ceiling when all hosts that it matches are', () => {
    const ceiling = ['*.example.com', 'one.test'];
    for (const pattern of ['*.example.com', '*.deep.example.com', 'a.example.com', 'one.test'])
      expect(isPatternWithinCeiling(pattern, ceiling)).toBe(true);
    for (const pattern of ['*.com', '*.one.test', 'example.com', '*.test'])
      expect(isPatternWithinCeiling(pattern, ceiling)).toBe(false);
    expect(isPatternWithinCeiling('*.com', [])).toBe(true);
  });
});
