import { readAddress } from '../protocol/address.ts';
import { isSignedBy, readSharedKey, signatureOf, textsToSign } from './shared-key.ts';

const key = Buffer.alloc(64, 7).toString('base64');
const request = (method: string, headers: { [name: string]: string }): Parameters<typeof textsToSign>[1] => ({
  method,
  headers,
  rawHeaders: [],
});
const addressOf = (url: string): ReturnType<typeof readAddress> => readAddress({ url, headers: {} }, () => null);

describe('the text that a key of an account signs', () => {
  const shared = { form: 'SharedKey' as const, account: 'acme', signature: '' };

  it('has the headers, the path as sent, and all parameters', () => {
    expect(
      textsToSign(
        shared,
        request('PUT', {
          'content-length': '11',
          'content-type': 'text/plain',
          date: 'Mon, 01 Jan 2030 00:00:00 GMT',
          'x-ms-version': '2026-04-06',
          'x-ms-date': 'Tue, 01 Jan 2030 00:00:00 GMT',
          'x-ms-blob-type': 'BlockBlob',
        }),
        addressOf('/acme/bucket/a%20b?timeout=30&comp=block&BlockId=YQ%3D%3D&comp=a'),
      ),
    ).toEqual([
      'PUT\n\n\n11\n\ntext/plain\n\n\n\n\n\n\nx-ms-blob-type:BlockBlob\nx-ms-date:Tue, 01 Jan 2030 00:00:00 GMT\nx-ms-version:2026-04-06\n/acme/acme/bucket/a%20b\nblockid:YQ==\ncomp:a,block\ntimeout:30',
    ]);
  });

  it('has no length where it is 0, and the date where it is the only one', () => {
    const [text = ''] = textsToSign(
      shared,
      request('GET', { 'content-length': '0', date: 'Tue, 01 Jan 2030 00:00:00 GMT', range: 'bytes=0-1' }),
      addressOf('/acme/'),
    );
    expect(text).toBe('GET\n\n\n\n\n\nTue, 01 Jan 2030 00:00:00 GMT\n\n\n\n\nbytes=0-1\n/acme/acme/');
  });

  it('may be sorted as Windows sorts words', () => {
    const texts = textsToSign(
      shared,
      request('PUT', { 'x-ms-meta-a1': '1', 'x-ms-meta-a_': '2', 'x-ms-meta-ab': '3' }),
      addressOf('/acme/b/x'),
    );
    const names = texts.map((text) => [...text.matchAll(/x-ms-meta-(\w+)/g)].map(([, name]) => name));
    expect(names).toEqual([
      ['a1', 'a_', 'ab'],
      ['a_', 'a1', 'ab'],
    ]);
  });

  it('of SharedKeyLite covers less', () => {
    expect(
      textsToSign(
        { ...shared, form: 'SharedKeyLite' },
        request('GET', { 'x-ms-date': 'Tue, 01 Jan 2030 00:00:00 GMT', range: 'bytes=0-1' }),
        addressOf('/acme/b?restype=container&comp=list&prefix=a'),
      ),
    ).toEqual(['GET\n\n\n\nx-ms-date:Tue, 01 Jan 2030 00:00:00 GMT\n/acme/acme/b?comp=list']);
  });
});

describe('the Authorization header', () => {
  it('is read in both forms', () => {
    expect(readSharedKey('SharedKey acme:c2ln')).toEqual({ form: 'SharedKey', account: 'acme', signature: 'c2ln' });
    expect(readSharedKey('SharedKeyLite acme:c2ln')?.form).toBe('SharedKeyLite');
    for (const wrong of ['Bearer x', 'SharedKey acme', 'SharedKey acme:', 'sharedkey acme:x', 'SharedKey ac.me:x'])
      expect(readSharedKey(wrong)).toBeNull();
  });

  it('is verified with its key alone', () => {
    const signature = signatureOf('text', key);
    expect(isSignedBy(['other', 'text'], key, signature)).toBe(true);
    expect(isSignedBy(['other'], key, signature)).toBe(false);
    expect(isSignedBy(['text'], Buffer.alloc(64, 8).toString('base64'), signature)).toBe(false);
    for (const wrong of ['short', `${signature}x`, signature.replace(/=$/, ''), `${signature} `])
      expect(isSignedBy(['text'], key, wrong)).toBe(false);
  });
});
