import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { requireBucket, type Door, type S3Exchange } from '../door.ts';
import { readWhole } from '../payload/body.ts';
import { requireCannedAcl } from '../protocol/details.ts';
import { Fault } from '../protocol/faults.ts';
import { childText, readXml, xmlDocument, type XmlNode } from '../protocol/xml.ts';
import { ownerElement } from './buckets.ts';
import { readable } from './get-object.ts';

/** The only grant that there is: the owner's. */
function accessControl(exchange: S3Exchange): DoorReply {
  const grantee = ownerElement(exchange, 'Grantee').replace(
    '<Grantee>',
    '<Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser">',
  );
  return xmlReply(
    xmlDocument(
      'AccessControlPolicy',
      `${ownerElement(exchange)}<AccessControlList><Grant>${grantee}${element('Permission', 'FULL_CONTROL')}</Grant></AccessControlList>`,
    ),
  );
}

/** GetBucketAcl. @throws Fault */
export async function getBucketAcl(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  await requireBucket(door, exchange, exchange.address.bucket, 'reach');
  return accessControl(exchange);
}

/** GetObjectAcl. @throws Fault */
export async function getObjectAcl(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  await readable(door, exchange);
  return accessControl(exchange);
}

const permissions: ReadonlySet<string> = new Set(['FULL_CONTROL', 'READ', 'READ_ACP', 'WRITE', 'WRITE_ACP']);
/** What identifies a grantee. */
const granteeFields = ['ID', 'URI', 'EmailAddress'] as const;

/** A grant of an ACL that was sent. */
interface Grant {
  /** Id of the grantee; null where it is named in another way. */
  id: string | null;
  permission: string;
}

/** Reads an ACL. @throws Fault `MalformedACLError`, `MalformedXML` */
function readAcl(bytes: Uint8Array): Grant[] {
  const malformed = (): Fault => new Fault('MalformedACLError');
  const acl = readXml(bytes);
  const child = (node: XmlNode, name: string): XmlNode | undefined => node.children.find((each) => each.name === name);
  const owner = child(acl, 'Owner');
  if (acl.name !== 'AccessControlPolicy' || owner === undefined || !childText(owner, 'ID')) throw malformed();
  return (child(acl, 'AccessControlList')?.children ?? []).map((node) => {
    const grantee = child(node, 'Grantee');
    const permission = childText(node, 'Permission') ?? '';
    const isNamed = grantee !== undefined && granteeFields.some((name) => childText(grantee, name));
    if (grantee === undefined || !isNamed || !permissions.has(permission)) throw malformed();
    return { id: childText(grantee, 'ID'), permission };
  });
}

/**
 * PutBucketAcl and PutObjectAcl: the only ACL is private, which clients send along with copies.
 * @throws Fault `AccessControlListNotSupported` of any other one
 */
export async function putAcl(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { address, request, access } = exchange;
  await requireBucket(door, exchange, address.bucket, 'write');
  const canned = request.headers['x-amz-acl'];
  const hasGrants = Object.keys(request.headers).some((name) => name.startsWith('x-amz-grant-'));
  const body = await readWhole(exchange, false);
  if (typeof canned === 'string') requireCannedAcl(canned, address.key === null ? 'bucket' : 'object');
  if (canned !== undefined && hasGrants)
    throw new Fault('InvalidRequest', {
      message: 'Specifying both Canned ACLs and Header Grants is not allowed.',
    });
  if (body.length > 0 && (canned !== undefined || hasGrants)) throw new Fault('UnexpectedContent');
  if (body.length === 0 && canned === undefined && !hasGrants) throw new Fault('MissingSecurityHeader');
  const owner = access.credential.organizationId;
  const isPrivate =
    body.length === 0
      ? canned === 'private'
      : readAcl(body).every(({ id, permission }) => id === owner && permission === 'FULL_CONTROL');
  if (!isPrivate) throw new Fault('AccessControlListNotSupported');
  if (address.key !== null) await readable(door, exchange);
  return { status: 200 };
}
