import type { Capability } from './judge.ts';

/**
 * What the S3 door does not offer, by signs of it in the failures of suites. The first that fits counts: what a case begins
 * with stands in front of what it is about.
 */
export const notOfferedByS3: readonly Capability[] = [
  { name: "users and roles of the suite's own administration", sign: /: exit status 1$|^IAM_/ },
  {
    name: 'object lock (retention, legal hold)',
    sign: /lock|retention|retain_|legal.?hold|WORM|CreateBucket.*NotImplemented: A header/i,
  },
  { name: 'life cycles of objects', sign: /lifecycle/i },
  { name: 'versioning', sign: /versioning|version|delete_marker/i },
  {
    name: 'bucket policies',
    sign: /PutBucketPolicy|DeleteBucketPolicy|GetBucketPolicy|^(?!PostObject).*policy(?:_status)?(?: |_|:)|\?policy|MalformedPolicy/i,
  },
  { name: 'public access block', sign: /publicAccessBlock|PublicAccessBlock/ },
  {
    name: 'ACLs other than private, and reading without a signature',
    sign: /AccessControlListNotSupported|_acl|Acl_|^PublicBucket/i,
  },
  { name: 'websites', sign: /BucketWebsite|\?website/ },
  { name: "owners of objects other than the bucket's", sign: /OwnershipControls/ },
  { name: 'several CORS rules, and origins with wildcards', sign: /one rule of CORS|An origin is|BucketCors/ },
  {
    name: 'keys with empty, `.` or `..` segments or a slash at the end',
    sign: /The key must be a key|dir_object|object_names|unreadable|PutObject_incorrect_checksums/,
  },
  {
    name: 'requests signed by header with Signature Version 2',
    sign: /authorization mechanism you have provided is not supported/,
  },
  { name: 'names of buckets with periods', sign: /contains_period/ },
];
