import { base32, hotp, matchingStep, totpAddress, totpStep } from './totp.ts';

/** The secret of the test vectors of RFC 4226 and, for SHA-1, RFC 6238. */
const secret = Buffer.from('12345678901234567890');

describe('one-time codes', () => {
  it('are those of RFC 4226, appendix D', () => {
    expect(Array.from({ length: 10 }, (_, counter) => hotp(secret, counter))).toEqual([
      '755224',
      '287082',
      '359152',
      '969429',
      '338314',
      '254676',
      '287922',
      '162583',
      '399871',
      '520489',
    ]);
  });

  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('are those of RFC 6238, appendix B, at %i', (seconds, code) => {
    expect(hotp(secret, totpStep(seconds * 1000), 8)).toBe(code);
  });

  it('are accepted a step early or late, and once', () => {
    const now = 1_234_567_890_000;
    const step = totpStep(now);
    const accepted = (of: number, after?: number): number | null => matchingStep(secret, hotp(secret, of), now, after);
    expect([step - 2, step - 1, step, step + 1, step + 2].map((each) => accepted(each))).toEqual([
      null,
      step - 1,
      step,
      step + 1,
      null,
    ]);
    expect([accepted(step, step), accepted(step - 1, step), accepted(step + 1, step)]).toEqual([null, null, step + 1]);
    for (const wrong of ['', '0', `${hotp(secret, step)}0`, '１２３４５６', 'abcdef'])
      expect(matchingStep(secret, wrong, now, undefined)).toBeNull();
  });
});

describe('the address for authenticator apps', () => {
  it('has the secret in base32', () => {
    expect(totpAddress(secret, 'a+b@example.com')).toBe(
      'otpauth://totp/Ply:a%2Bb%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Ply&algorithm=SHA1&digits=6&period=30',
    );
  });

  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('%j is encoded as in RFC 4648, section 10', (text, encoded) => {
    expect(base32(Buffer.from(text))).toBe(encoded);
  });
});
