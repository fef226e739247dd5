import { createHmac } from 'node:crypto';
import { call } from '../../../mixins/actions/call.ts';
import { storeContent } from '../../../mixins/storage/door-writes.ts';
import type { DoorReply } from '../../../mixins/storage/door-http.ts';
import { checkCredential, isSame, keyOf, readCredential, timeOf, type Authentication } from '../auth/authenticate.ts';
import { signatureOf } from '../auth/canonical.ts';
import { requireBucket, type Access, type Door, type S3Exchange } from '../door.ts';
import { commit } from '../operations/put-object.ts';
import { readDetails, requireKey } from '../protocol/details.ts';
import { badArgument, Fault } from '../protocol/faults.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { checkPolicy } from './policy.ts';
import type { Form } from './read-form.ts';

/** Checks the signature of a form's policy. @throws Fault; StoreUnavailable */
export async function authenticateForm(authentication: Authentication, { fields }: Form): Promise<Access> {
  const policy = fields.get('policy');
  const signature = fields.get('x-amz-signature') ?? fields.get('signature');
  if (policy === undefined && signature === undefined) throw new Fault('AccessDenied');
  const missing = (name: string): Fault => badArgument(name, `Bucket POST must contain a field named '${name}'.`);
  if (policy === undefined) throw missing('policy');
  if (signature === undefined) throw missing('signature');
  if (fields.has('x-amz-security-token')) throw new Fault('InvalidToken');
  const none = { payload: 'UNSIGNED-PAYLOAD', signing: null };
  const accessKeyId = fields.get('awsaccesskeyid');
  if (accessKeyId !== undefined) {
    // Signature Version 2: HMAC-SHA1 of the policy.
    const credential = await checkCredential(authentication, accessKeyId);
    const own = createHmac('sha1', credential.secret).update(policy).digest('base64');
    if (!isSame(own, signature)) throw new Fault('SignatureDoesNotMatch');
    return { credential, region: 'us-east-1', ...none };
  }
  if (fields.get('x-amz-algorithm') !== 'AWS4-HMAC-SHA256') throw missing('x-amz-algorithm');
  const { accessKeyId: sent, scope } = readCredential(fields.get('x-amz-credential') ?? '', (message) =>
    badArgument('x-amz-credential', message),
  );
  if (timeOf(fields.get('x-amz-date') ?? '') === null) throw missing('x-amz-date');
  if (!authentication.regions.includes(scope.region)) throw badArgument('x-amz-credential', 'The region is wrong.');
  const credential = await checkCredential(authentication, sent);
  if (!isSame(signatureOf(keyOf(credential, scope), policy), signature)) throw new Fault('SignatureDoesNotMatch');
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

/** PostObject: a form of a browser. @throws Fault, Refusal */
export async function postObject(door: Door, exchange: S3Exchange, form: Form): Promise<DoorReply> {
  const { address, request } = exchange;
  const { fields, bytes } = form;
  const name = address.bucket ?? '';
  const size = checkPolicy(fields.get('policy') ?? '', fields, { bucket: name, now: door.app.runtime.now() });
  const bucket = await requireBucket(door, exchange, name, 'write');
  const sent = fields.get('key');
  if (sent === undefined) throw badArgument('key', "Bucket POST must contain a field named 'key'.");
  const key = requireKey(sent.replaceAll('${filename}', form.fileName));
  const acl = fields.get('acl');
  if (acl !== undefined && acl !== 'private') throw new Fault('AccessControlListNotSupported');
  if (fields.has('tagging')) throw new Fault('NotImplemented', { elements: { Field: 'tagging' } });
  if (bytes < size.min) throw new Fault('EntityTooSmall', { message: 'The file is smaller than the policy allows.' });
  if (bytes > size.max) throw new Fault('EntityTooLarge', { message: 'The file is larger than the policy allows.' });
  const details = readDetails({
    ...Object.fromEntries(fields),
    'content-type': fields.get('content-type') ?? form.fileType ?? '',
  });
  const at = { organizationId: bucket.organizationId, bucketId: bucket._id, key };
  await call(door.actions, 'storage.admitObject', { ...at, size: bytes, contentType: details.contentType });
  const { content, md5 } = await storeContent(door.app, bytes, form.pieces);
  const { etag } = await commit(door, exchange, {
    ...at,
    ...details,
    size: bytes,
    etag: `"${md5}"`,
    content,
    createdVia: 's3',
  });
  const location = `http://${request.headers.host ?? ''}/${name}/${key.split('/').map(encodeURIComponent).join('/')}`;
  return answerOf(form, { bucket: name, key, etag, location });
}
