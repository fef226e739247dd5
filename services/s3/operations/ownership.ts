import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { requireBucket, type Door, type S3Exchange } from '../door.ts';
import { readWhole } from '../payload/body.ts';
import { Fault } from '../protocol/faults.ts';
import { childText, readXml, xmlDocument } from '../protocol/xml.ts';

/** Whose objects are that others write into a bucket: always its owner's, since there are no ACLs. */
const enforced = 'BucketOwnerEnforced';
const ownerships: ReadonlySet<string> = new Set([enforced, 'BucketOwnerPreferred', 'ObjectWriter']);

/** Whether a text names an ownership of objects. */
export function isOwnership(text: string): boolean {
  return ownerships.has(text);
}

/** GetBucketOwnershipControls. @throws Fault */
export async function getOwnershipControls(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  await requireBucket(door, exchange, exchange.address.bucket, 'reach');
  return xmlReply(xmlDocument('OwnershipControls', `<Rule>${element('ObjectOwnership', enforced)}</Rule>`));
}

/** PutBucketOwnershipControls: of the ownership that there is. @throws Fault `MalformedXML`, `NotImplemented` */
export async function putOwnershipControls(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  await requireBucket(door, exchange, exchange.address.bucket, 'manage');
  const root = readXml(await readWhole(exchange));
  const rules = root.children.filter(({ name }) => name === 'Rule');
  const [rule] = rules;
  const wanted = rule === undefined ? '' : (childText(rule, 'ObjectOwnership') ?? '');
  if (root.name !== 'OwnershipControls' || rules.length !== 1 || !isOwnership(wanted)) throw new Fault('MalformedXML');
  if (wanted !== enforced)
    throw new Fault('NotImplemented', {
      message: `Objects are always owned by the owner of their bucket (${enforced}).`,
    });
  return { status: 200 };
}
