import { call } from '../../../mixins/actions/call.ts';
import { storeContent } from '../../../mixins/storage/door-writes.ts';
import type { DoorReply } from '../../../mixins/storage/door-http.ts';
import { checkCredential, isSame, keyOf, type Authentication } from '../auth/authenticate.ts';
import { readCredential, timeOf } from '../auth/sent-signature.ts';
import { signatureOf } from '../auth/canonical.ts';
import { versionTwoSignature } from '../auth/version-two.ts';
import { requireBucket, type Access, type Door, type S3Exchange } from '../door.ts';
import { commit } from '../operations/put-object.ts';
import { asHeader, readDetails, refuseUnoffered, requireKey } from '../protocol/details.ts';
import { badArgument, Fault } from '../protocol/faults.ts';
import {
  checksumValue,
  declaredChecksums,
  measured,
  requireKnownChecksums,
  severalChecksums,
  type DeclaredChecksum,
} from '../payload/body.ts';
import { newChecksum } from '../payload/checksums.ts';
import type { RunningChecksum } from '../../../mixins/storage/crc.ts';
import { readTagging } from '../protocol/tags.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { checkPolicy } from './policy.ts';
import type { Form } from './read-form.ts';

/** Checks the signature of a form's policy. @throws Fault; StoreUnavailable */
export async function authenticateForm(authentication: Authentication, { fields }: Form): Promise<Access> {
  const sent = (name: string): string | undefined => fields.get(name) || undefined;
  // An empty policy is one that is not valid.
  const policy = fields.get('policy');
  const signature = sent('x-amz-signature') ?? sent('signature');
  if (policy === undefined && signature === undefined) throw new Fault('AccessDenied');
  const missing = (name: string): Fault =>
    badArgument(
      name,
      `Bucket POST must contain a field named '${name}'.  If it is specified, please check the order of the fields.`,
    );
  if (policy === undefined) throw missing('policy');
  if (signature === undefined) throw missing(fields.has('awsaccesskeyid') ? 'signature' : 'x-amz-signature');
  if (fields.has('x-amz-security-token')) throw new Fault('InvalidToken');
  const none = { payload: 'UNSIGNED-PAYLOAD', signing: null };
  const accessKeyId = sent('awsaccesskeyid');
  if (accessKeyId !== undefined) {
    const credential = await checkCredential(authentication, accessKeyId);
    if (!isSame(versionTwoSignature(credential.secret, policy), signature)) throw new Fault('SignatureDoesNotMatch');
    return { credential, region: 'us-east-1', ...none };
  }
  const algorithm = sent('x-amz-algorithm');
  if (algorithm === undefined) throw missing('x-amz-algorithm');
  if (algorithm !== 'AWS4-HMAC-SHA256')
    throw badArgument('X-Amz-Algorithm', 'Only AWS4-HMAC-SHA256 is supported', algorithm);
  const sentCredential = sent('x-amz-credential');
  if (sentCredential === undefined) throw missing('x-amz-credential');
  const { accessKeyId: keyId, scope } = readCredential(sentCredential, (message) =>
    badArgument('x-amz-credential', message, sentCredential),
  );
  const date = sent('x-amz-date');
  if (date === undefined) throw missing('x-amz-date');
  if (timeOf(date) === null)
    throw badArgument('X-Amz-Date', 'X-Amz-Date must be formated via ISO8601 Long format', date);
  if (!authentication.regions.includes(scope.region))
    throw badArgument(
      'x-amz-credential',
      `the region "${scope.region}" is wrong; expecting "${authentication.regions[0] ?? ''}"`,
      sentCredential,
    );
  const credential = await checkCredential(authentication, keyId);
  if (!isSame(signatureOf(keyOf(credential, scope), policy), signature))
    throw new Fault('SignatureDoesNotMatch', {
      elements: {
        AWSAccessKeyId: keyId,
        StringToSign: policy,
        SignatureProvided: signature,
        StringToSignBytes: Buffer.from(policy)
          .toString('hex')
          .replace(/..(?!$)/g, '$& '),
      },
    });
  return { credential, region: scope.region, ...none };
}

/** What a form is answered when the object is written. */
function answerOf({ fields }: Form, { bucket, key, etag, location }: { [name: string]: string }): DoorReply {
  const headers = { ETag: etag ?? '', Location: location ?? '' };
  const redirect = fields.get('success_action_redirect') ?? fields.get('redirect');
  if (redirect !== undefined && /^https?:/i.test(redirect) && URL.canParse(redirect)) {
    const target = new URL(redirect);
    for (const [name, value] of Object.entries({ bucket, key, etag })) target.searchParams.set(name, value ?? '');
    return { status: 303, headers: { ...headers, Location: target.href } };
  }
  const status = fields.get('success_action_status');
  if (status === '200') return { status: 200, headers };
  if (status !== '201') return { status: 204, headers };
  const body = Object.entries({ Location: location, Bucket: bucket, Key: key, ETag: etag });
  return {
    status: 201,
    headers: { ...headers, 'Content-Type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<PostResponse>${body.map(([name, value]) => element(name, value)).join('')}</PostResponse>`,
  };
}

/** The document of no tags. */
const noTags = '<Tagging><TagSet></TagSet></Tagging>';

/** @throws Fault `InvalidRequest` */
function declaredOf(fields: Form['fields']): DeclaredChecksum | null {
  requireKnownChecksums([...fields.keys()]);
  const found: DeclaredChecksum[] = declaredChecksums((name) => fields.get(name) ?? null);
  const [first] = found;
  if (found.length > 1) throw severalChecksums();
  if (first !== undefined) checksumValue(first.algorithm, first.value);
  return first ?? null;
}

/** The pieces of a file. The end throws where they have not the declared checksum. @throws Fault `BadDigest` */
async function* checked(
  pieces: AsyncIterable<Uint8Array>,
  running: RunningChecksum,
  { algorithm, value }: DeclaredChecksum,
): AsyncGenerator<Uint8Array> {
  yield* measured(pieces, running);
  if (running.digest().toString('base64') !== value)
    throw new Fault('BadDigest', { message: `The ${algorithm} you specified did not match the calculated checksum.` });
}

/** PostObject: a form of a browser. @throws Fault, Refusal */
export async function postObject(door: Door, exchange: S3Exchange, form: Form): Promise<DoorReply> {
  const { address, request } = exchange;
  const { fields, bytes } = form;
  const name = address.bucket ?? '';
  const sent = fields.get('key')?.replaceAll('${filename}', form.fileName);
  // Conditions of the key are about the one that the object gets.
  const judged = new Map([...fields, ...(sent === undefined ? [] : [['key', sent] as const])]);
  const size = checkPolicy(fields.get('policy') ?? '', judged, { bucket: name, now: door.app.runtime.now() });
  const bucket = await requireBucket(door, exchange, name, 'write');
  if (sent === undefined) throw badArgument('key', "Bucket POST must contain a field named 'key'.");
  const key = requireKey(sent);
  const acl = fields.get('acl');
  if (acl !== undefined && acl !== 'private') throw new Fault('AccessControlListNotSupported');
  if (bytes < size.min)
    throw new Fault('EntityTooSmall', {
      elements: { ProposedSize: String(bytes), MinSizeAllowed: String(size.min) },
    });
  if (bytes > size.max)
    throw new Fault('EntityTooLarge', {
      elements: { ProposedSize: String(bytes), MaxSizeAllowed: String(size.max) },
    });
  const tags = readTagging(Buffer.from(fields.get('tagging') ?? noTags));
  const expected = declaredOf(fields);
  const running = expected === null ? null : newChecksum(expected.algorithm);
  // The type is that of the field: what a browser says of the file is not looked at.
  const headers = Object.fromEntries([...fields].map(([field, value]) => [field, asHeader(value)]));
  refuseUnoffered({ headers });
  const details = readDetails(headers);
  const at = { organizationId: bucket.organizationId, bucketId: bucket._id, key };
  await call(door.actions, 'storage.admitObject', { ...at, size: bytes, contentType: details.contentType });
  const pieces = running === null || expected === null ? form.pieces : checked(form.pieces, running, expected);
  const { content, md5 } = await storeContent(door.app, bytes, pieces);
  const { etag } = await commit(door, exchange, {
    ...at,
    ...details,
    ...(tags.length === 0 ? {} : { tags }),
    ...(expected === null ? {} : { checksum: { ...expected, type: 'FULL_OBJECT' as const } }),
    size: bytes,
    etag: `"${md5}"`,
    content,
    createdVia: 's3',
  });
  const location = `http://${request.headers.host ?? ''}/${name}/${key.split('/').map(encodeURIComponent).join('/')}`;
  return answerOf(form, { bucket: name, key, etag, location });
}
