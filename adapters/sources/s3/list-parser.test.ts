import { ListParser } from './list-parser.ts';

function read(xml: string, pieceBytes: number): ListParser {
  const parser = new ListParser();
  const bytes = Buffer.from(xml);
  for (let start = 0; start < bytes.length; start += pieceBytes)
    parser.write(bytes.subarray(start, start + pieceBytes));
  parser.end();
  return parser;
}

const list = `\ufeff<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><Prefix>a</Prefix><KeyCount>3</KeyCount>
  <Contents><Key> a%20b.txt</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;e1&quot;</ETag><Size> 12 </Size><Owner><ID>o</ID><Key>not this</Key></Owner></Contents>
  <Contents><Key><![CDATA[é<&>]]>日.txt</Key><ETag>"e2"</ETag><Size>many</Size></Contents><Contents/>
  <CommonPrefixes><Prefix>p/</Prefix><Key>nor this</Key></CommonPrefixes>
  <EncodingType>url</EncodingType><IsTruncated> true </IsTruncated></ListBucketResult>
`;

describe('a list of a bucket', () => {
  it.each([1, 7, 100_000])('is read in pieces of %d bytes', (pieceBytes) => {
    const { objects, remainder } = read(list, pieceBytes);
    expect(objects).toEqual([
      { key: ' a%20b.txt', etag: '"e1"', size: 12 },
      { key: 'é<&>日.txt', etag: '"e2"', size: -1 },
      { key: '', etag: '', size: -1 },
    ]);
    expect(remainder).toBe(
      '<ListBucketResult><IsTruncated>true</IsTruncated><EncodingType>url</EncodingType></ListBucketResult>',
    );
  });

  it('passes nothing to the library that the bucket did not send', () => {
    expect(
      read(
        '<ListBucketResult><IsTruncated>perhaps</IsTruncated><EncodingType>&lt;x/></EncodingType></ListBucketResult>',
        10,
      ).remainder,
    ).toBe('<ListBucketResult></ListBucketResult>');
  });

  it.each([
    ['nothing', ''],
    ['an error', '<Error><Code>SlowDown</Code></Error>'],
    ['half a list', list.slice(0, 500)],
    ['text behind it', `${list}more`],
    ['no XML', '{"Contents":[]}'],
    ['an entity of its own', '<!DOCTYPE x [<!ENTITY a "b">]><ListBucketResult><Name>&a;</Name></ListBucketResult>'],
    ['elements without end', `<ListBucketResult>${'<a>'.repeat(20)}${'</a>'.repeat(20)}</ListBucketResult>`],
  ])('is refused: %s', (_what, xml) => {
    expect(() => read(xml, 50)).toThrow(expect.objectContaining({ name: 'SourceError', reason: 'refused' }) as Error);
  });
});
