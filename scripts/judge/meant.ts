import type { Meant } from './judge.ts';

/*
 * Failures of what the doors offer that are as they should be, by signs of them in the failures of suites: where the contract
 * says otherwise, or two suites disagree. The first that fits counts.
 */

/** Of the S3 door. */
export const meantByS3: readonly Meant[] = [
  {
    sign: /conditional_writes: .*NotImplemented, instead got PreconditionFailed/,
    why: '`If-None-Match` of a write takes the tag of an object as well, as ceph/s3-tests asks for; the other suite wants `*` alone',
  },
  {
    sign: /NotModified, instead got PreconditionFailed/,
    why: 'a copy whose source is not as asked for is refused with 412, as ceph/s3-tests asks for; the other suite wants 304',
  },
  {
    sign: /part_number_exceeds/,
    why: 'a part that an object has not is 400 `InvalidPart`, as ceph/s3-tests asks for; the other suite wants 416 `InvalidPartNumber`',
  },
  { sign: /expected MetadataTooLarge/, why: 'metadata has at most 8 KiB, as that of the API; the suite wants 2 KiB' },
  {
    sign: /_default_checksum:|ignore_the_final_checksum/,
    why: 'a write is hashed by MD5 and by what its client asks for: without a checksum in the request none is computed',
  },
  { sign: /bucket region to be/, why: 'buckets are in regions of the deployment' },
  { sign: /invalid_location_constraint/, why: '`us-east-1` stands for any region' },
  {
    sign: /owner to be PLY|expected_bucket_owner/,
    why: 'the owner of buckets is the organization, which the suite takes for the access key',
  },
  { sign: /both_start_after_and_continuation_token/, why: 'continuation tokens are no keys' },
  {
    sign: /non nil next marker|non-empty NextMarker/,
    why: '`NextMarker` comes with a delimiter alone, as S3 documents it',
  },
  { sign: /to be nil, instead got/, why: 'empty elements of lists are written, as ceph/s3-tests asks for' },
  {
    sign: /ignore_anything_after_file/,
    why: 'a file is the last field of a form: its length follows from that of the body, so that nothing is held in memory',
  },
  {
    sign: /PostObject_expired_due_to_date/,
    why: 'a form is valid as long as its policy says; the suite wants its signature to end after an hour',
  },
  { sign: /unmarshal PostResponse/, why: 'the answer to a form has no namespace, as S3 documents it' },
  {
    sign: /Content-Type must be one media type|PostObject_policy_access_control/,
    why: 'the type of an object is one media type',
  },
  { sign: /DeleteObjects_empty_input/, why: 'a deletion names at least one object' },
  { sign: /Server_large_http_header/, why: 'the head of a request has at most 64 KiB; the suite wants 8 KiB' },
  { sign: /ListBuckets_empty_success/, why: 'buckets that cases before it left behind are still there' },
  { sign: /'InvalidRequest' == 'BadDigest'/, why: 'what is no checksum is `InvalidRequest`, as versitygw asks for' },
  { sign: /assert 404 == 403/, why: "another organization's bucket is not told from one that there is not" },
  { sign: /test_put_excess_tags/, why: 'more than ten tags are `BadRequest`, as versitygw asks for' },
  { sign: /has no attribute 'status'/, why: 'the case reads a field of the refusal that its client does not have' },
  { sign: /test_bucket_recreate_not_overriding/, why: 'an own bucket is `BucketAlreadyOwnedByYou` in every region' },
  { sign: /unicode_metadata/, why: 'values other than printable ASCII are kept, and shown by the API alone' },
  { sign: /escaped_field_values/, why: 'a key has no backslash' },
  {
    sign: /raw_put_authenticated_expired/,
    why: 'an expiry of less than a second is not valid: 400, as versitygw asks for',
  },
  { sign: /test_get_object_torrent/, why: 'torrents are not offered: `NotImplemented`' },
  {
    sign: /complete request must include|The upload was created using a/,
    why: 'a completion names the checksum of each part where the upload has one of the parts, as versitygw asks for',
  },
  {
    sign: /multipart_copy_invalid_range/,
    why: 'a range beyond the source of a part is `InvalidArgument`, as versitygw asks for',
  },
  { sign: /multipart_resend_first_finishes_last/, why: 'a completion names each part once' },
  {
    sign: /chunked_transfer_encoding: .*MissingContentLength/,
    why: 'a body has a length, or the framing of S3 in chunks',
  },
];

/** Of the Blob door. */
export const meantByBlob: readonly Meant[] = [
  {
    sign: /A content type is/,
    why: 'objects have the type that the API, links and upload rules know, which is one media type',
  },
  {
    sign: /This request is not authorized/,
    why: 'a signature that permits to write alone would copy a blob that it may not read',
  },
  {
    sign: /The container exists already/,
    why: 'names of buckets are unique in a deployment, and the case makes one in two accounts',
  },
  {
    sign: /The container is being deleted/,
    why: 'a deleted bucket can be restored for seven days, and keeps its name',
  },
  {
    sign: /The blob exists already/,
    why: 'a deletion says that it wants nothing to be there, and fails where something is, as the protocol documents it',
  },
  { sign: /The MD5 is invalid/, why: 'an MD5 has 16 bytes, and the case sends five' },
  { sign: /setHTTPHeaders with default parameters/, why: 'an object always has a type' },
];
