import { call } from '../../../mixins/actions/call.ts';
import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { bucketChange, type BucketChange } from '../../../models/schemas/buckets.ts';
import { requireBucket, type Door, type S3Exchange } from '../door.ts';
import { readWhole } from '../payload/body.ts';
import { Fault } from '../protocol/faults.ts';
import { childText, readXml, xmlDocument, type XmlNode } from '../protocol/xml.ts';
import { callerOf } from './buckets.ts';

/** Methods that pages of a bucket's origins may use here, whatever its settings say of the edge. */
const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];
/** Those that the settings of a bucket know: what pages may do at the edge. */
const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** GetBucketCors: the bucket's own settings. @throws Fault */
export async function getBucketCors(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { settings } = await requireBucket(door, exchange, exchange.address.bucket, 'reach');
  const { allowedOrigins, exposeHeaders, maxAgeSeconds } = settings.cors;
  if (allowedOrigins.length === 0) throw new Fault('NoSuchCORSConfiguration');
  const rule = [
    ...allowedOrigins.map((origin) => element('AllowedOrigin', origin)),
    ...methods.map((method) => element('AllowedMethod', method)),
    element('AllowedHeader', '*'),
    ...exposeHeaders.map((name) => element('ExposeHeader', name)),
    element('MaxAgeSeconds', maxAgeSeconds),
  ];
  return xmlReply(xmlDocument('CORSConfiguration', `<CORSRule>${rule.join('')}</CORSRule>`));
}

/** The change of a bucket's settings that a rule asks for. @throws Fault; Refusal `validation_error` */
function changeOf(rule: XmlNode): BucketChange {
  const all = (name: string): string[] => rule.children.flatMap((child) => (child.name === name ? [child.text] : []));
  const [origins, sent] = [all('AllowedOrigin'), all('AllowedMethod')];
  if (origins.length === 0 || sent.length === 0) throw new Fault('MalformedXML');
  const unknown = sent.find((method) => !methods.includes(method));
  if (unknown !== undefined)
    throw new Fault('InvalidRequest', {
      message: `Found unsupported HTTP method in CORS config. Unsupported method is ${unknown}`,
    });
  const seconds = childText(rule, 'MaxAgeSeconds');
  if (seconds !== null && !/^\d{1,9}$/.test(seconds)) throw new Fault('MalformedXML');
  const read = [...new Set(sent)].filter((method) => readMethods.has(method));
  return bucketChange.check({
    cors: {
      allowedOrigins: [...new Set(origins)],
      allowedMethods: read.length === 0 ? null : read.map((method) => (method === 'GET' ? 'GET' : 'HEAD')),
      allowedHeaders: [...new Set(all('AllowedHeader').map((name) => name.toLowerCase()))],
      exposeHeaders: [...new Set(all('ExposeHeader').map((name) => name.toLowerCase()))],
      maxAgeSeconds: seconds === null ? null : Number(seconds),
    },
  });
}

/**
 * PutBucketCors: one rule, which becomes the settings of the bucket, with `manage`.
 * @throws Fault, Refusal
 */
export async function putBucketCors(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { _id: bucketId } = await requireBucket(door, exchange, exchange.address.bucket, 'manage');
  const root = readXml(await readWhole(exchange));
  const rules = root.children.filter(({ name }) => name === 'CORSRule');
  const [rule] = rules;
  if (root.name !== 'CORSConfiguration' || rule === undefined) throw new Fault('MalformedXML');
  if (rules.length > 1) throw new Fault('NotImplemented', { message: 'A bucket has one rule of CORS.' });
  const caller = callerOf(exchange, door.app.runtime.uuid());
  await call(door.actions, 'storage.changeBucket', { caller, bucketId, change: changeOf(rule) });
  return { status: 200 };
}

/** DeleteBucketCors, with `manage`. @throws Fault, Refusal */
export async function deleteBucketCors(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { _id: bucketId } = await requireBucket(door, exchange, exchange.address.bucket, 'manage');
  const caller = callerOf(exchange, door.app.runtime.uuid());
  await call(door.actions, 'storage.changeBucket', { caller, bucketId, change: { cors: { allowedOrigins: null } } });
  return { status: 204 };
}
