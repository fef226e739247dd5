import { call } from '../../../mixins/actions/call.ts';
import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import { activatedBucket } from '../../../mixins/storage/door-lookup.ts';
import type { Caller } from '../../../models/api.ts';
import { buckets, type Bucket } from '../../../models/bucket.ts';
import { bucketNameForm } from '../../../models/schemas/buckets.ts';
import { scopeOf } from '../../../models/scope.ts';
import { allows, reaches } from '../../../models/storage-credential.ts';
import { storedObjects } from '../../../models/storage-object.ts';
import { requireBucket, requireFeature, userOf, type Door, type S3Exchange } from '../door.ts';
import { readWhole } from '../payload/body.ts';
import { parameter } from '../protocol/address.ts';
import { requireCannedAcl } from '../protocol/details.ts';
import { badArgument, Fault } from '../protocol/faults.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { readTagElements } from '../protocol/tags.ts';
import { childText, readXml, xmlDocument } from '../protocol/xml.ts';
import { isOwnership } from './ownership.ts';

const pageSize = 500;

/** The owner of everything that a credential sees, as the protocol shows it. */
export function ownerElement({ access: { credential } }: Pick<S3Exchange, 'access'>, name = 'Owner'): string {
  const { organizationId } = credential;
  return `<${name}>${element('ID', organizationId)}${element('DisplayName', organizationId)}</${name}>`;
}

const maxBuckets = 10_000;

/** What ListBuckets takes. @throws Fault `InvalidArgument` */
function readBucketQuery({ address }: S3Exchange): {
  limit: number;
  token: string;
  prefix: string;
  region: string | null;
} {
  const sent = parameter(address, 'max-buckets');
  if (sent !== null && (!/^\d{1,5}$/.test(sent) || Number(sent) < 1 || Number(sent) > maxBuckets))
    throw badArgument('max-buckets', `Argument max-buckets must be an integer between 1 and ${maxBuckets}.`, sent);
  return {
    limit: sent === null ? maxBuckets : Number(sent),
    token: Buffer.from(parameter(address, 'continuation-token') ?? '', 'base64url').toString('utf8'),
    prefix: parameter(address, 'prefix') ?? '',
    region: parameter(address, 'bucket-region'),
  };
}

/** ListBuckets: the active buckets that the credential reaches. */
export async function listBuckets({ app }: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { credential } = exchange.access;
  const all = app.records.collection(buckets, scopeOf(credential.organizationId));
  const found: Bucket[] = [];
  for (let after: (string | number)[] | null = null; ;) {
    const page: Bucket[] = await all.find({
      filter: { listedAt: { $exists: true } },
      sort: [
        ['listedAt', 1],
        ['_id', 1],
      ],
      limit: pageSize,
      ...(after === null ? {} : { after }),
    });
    found.push(...page.filter(({ state, _id }) => state === 'active' && reaches(credential, _id)));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) break;
    after = [last.createdAt, last._id];
  }
  const { limit, token, prefix, region: wanted } = readBucketQuery(exchange);
  const sought = found
    .filter(({ name, region }) => name.startsWith(prefix) && name > token && (wanted === null || region === wanted))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const page = sought.slice(0, limit);
  const lines = page.map(
    ({ name, createdAt, region }) =>
      `<Bucket>${element('Name', name)}${element('CreationDate', new Date(createdAt).toISOString())}${element('BucketRegion', region)}</Bucket>`,
  );
  const next = page.length < sought.length ? Buffer.from(page.at(-1)?.name ?? '').toString('base64url') : null;
  return xmlReply(
    xmlDocument(
      'ListAllMyBucketsResult',
      [
        ownerElement(exchange),
        `<Buckets>${lines.join('')}</Buckets>`,
        prefix === '' ? '' : element('Prefix', prefix),
        element('ContinuationToken', next),
      ].join(''),
    ),
  );
}

/** HeadBucket. @throws Fault */
export async function headBucket(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { region } = await requireBucket(door, exchange, exchange.address.bucket, 'reach');
  return { status: 200, headers: { 'x-amz-bucket-region': region } };
}

/** GetBucketLocation. @throws Fault */
export async function getLocation(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { region } = await requireBucket(door, exchange, exchange.address.bucket, 'reach');
  return xmlReply(
    `<?xml version="1.0" encoding="UTF-8"?>\n<LocationConstraint xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${region}</LocationConstraint>`,
  );
}

/** The caller of actions that a credential with `manage` stands for. */
export function callerOf(exchange: S3Exchange, requestId: string): Caller {
  const { credential } = exchange.access;
  const userId = userOf(exchange);
  return {
    accountId: credential.accountId,
    organizationId: credential.organizationId,
    keyId: userId,
    keyPrefix: '',
    keyLabel: credential.name,
    keyScope: 'admin',
    requestId,
    ip: null,
    userId,
  };
}

const nameForm = new RegExp(bucketNameForm.source, 'u');
/** Regions that stand for the first one that is open. */
const anyRegion: ReadonlySet<string> = new Set(['', 'auto', 'us-east-1']);

/**
 * CreateBucket: of an own bucket, that it is there. Making one needs `manage`; its objects may be overwritten, as clients
 * of this protocol expect.
 * @throws Fault, Refusal
 */
export async function createBucket(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { address, access, request } = exchange;
  const name = address.bucket ?? '';
  const acl = request.headers['x-amz-acl'];
  const body = await readWhole(exchange);
  if (exchange.bucket !== null) throw new Fault('BucketAlreadyOwnedByYou');
  if (!allows(access.credential, 'manage', null)) throw new Fault('AccessDenied');
  if (!nameForm.test(name)) throw new Fault('InvalidBucketName');
  if (typeof acl === 'string') requireCannedAcl(acl, 'bucket');
  const ownership = request.headers['x-amz-object-ownership'];
  if (typeof ownership === 'string' && !isOwnership(ownership))
    throw badArgument('x-amz-object-ownership', `Invalid x-amz-object-ownership header: ${ownership}`);
  if (acl !== undefined && acl !== 'private') throw new Fault('AccessControlListNotSupported');
  if (String(request.headers['x-amz-bucket-object-lock-enabled'] ?? 'false').toLowerCase() !== 'false')
    throw new Fault('NotImplemented');
  requireFeature(access.credential);
  const configuration = body.length === 0 ? null : readXml(body);
  const constraint = configuration === null ? '' : (childText(configuration, 'LocationConstraint') ?? '');
  const tagSet = configuration?.children.find((child) => child.name === 'Tags');
  const tags = tagSet === undefined ? [] : readTagElements(tagSet, 'Bucket');
  const wanted = constraint === '' ? access.region : constraint;
  const region = anyRegion.has(wanted) ? door.regions.find(({ open }) => open)?.code : wanted;
  const caller = callerOf(exchange, door.app.runtime.uuid());
  const { id } = await call(door.actions, 'storage.createBucket', {
    caller,
    id: door.app.runtime.uuid(),
    bucket: { name, region: region ?? wanted, visibility: 'private', strictResidency: false },
  });
  if ((await activatedBucket(door.app, access.credential.organizationId, id)) === null)
    throw new Fault('ServiceUnavailable', { message: 'The bucket is still being made.' });
  await call(door.actions, 'storage.changeBucket', {
    caller,
    bucketId: id,
    change: { uploadRules: { allowOverwrite: true } },
  });
  if (tags.length > 0) await call(door.actions, 'storage.changeBucketTags', { caller, bucketId: id, tags });
  return { status: 200, headers: { Location: `/${name}`, 'x-amz-bucket-arn': `arn:aws:s3:::${name}` } };
}

/** DeleteBucket: of an empty bucket, with `manage`. It can be restored for seven days. @throws Fault, Refusal */
export async function deleteBucket(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const {
    organizationId,
    _id: bucketId,
    kind,
  } = await requireBucket(door, exchange, exchange.address.bucket, 'manage');
  if (kind === 'video') throw new Fault('AccessDenied');
  const [held] = await door.app.records
    .collection(storedObjects, scopeOf(organizationId))
    .find({ filter: { bucketId, listKey: { $exists: true } }, sort: [['listKey', 1]], limit: 1 });
  if (held !== undefined) throw new Fault('BucketNotEmpty');
  await call(door.actions, 'storage.removeBucket', { caller: callerOf(exchange, door.app.runtime.uuid()), bucketId });
  return { status: 204 };
}
