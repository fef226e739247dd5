import { scopeOf } from '../../../models/scope.ts';
import { behindPrefix, listKeyOf } from '../../../models/storage-key.ts';
import { uploads, type Upload } from '../../../models/upload.ts';
import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import { requireBucket, type Door, type S3Exchange } from '../door.ts';
import { parameter } from '../protocol/address.ts';
import { badArgument, type Fault } from '../protocol/faults.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { xmlDocument } from '../protocol/xml.ts';
import { ownerElement } from './buckets.ts';
import { numberOf, readListQuery } from './list-objects.ts';
import { namedUpload, partsOf } from './multipart.ts';

const maxLines = 1000;
/** Uploads that are read at a time. */
const batchSize = 500;

/** An upload, or the uploads whose keys have a prefix: the first of them stands for all. */
interface Line {
  upload: Upload;
  prefix: string | null;
}

/**
 * The place that a list of uploads goes on behind. Without an id the whole key is behind; an id goes on within its key, or
 * from its own key where the named one has no uploads.
 * @throws Fault `InvalidArgument` where the id is none of the key's
 */
async function placeBehind(
  { app }: Door,
  { organizationId, bucketId }: { organizationId: string; bucketId: string },
  keyMarker: string,
  idMarker: string,
): Promise<string> {
  if (idMarker === '') return `${listKeyOf(keyMarker)}\u0000\u00ff`;
  const all = app.records.collection(uploads, scopeOf(organizationId));
  const marked = await all.get(idMarker);
  const invalid = (): Fault => badArgument('upload-id-marker', 'Invalid uploadId marker', idMarker);
  if (marked?.parts === undefined || marked.bucketId !== bucketId) throw invalid();
  if (marked.key !== keyMarker) {
    const from = `${listKeyOf(keyMarker)}\u0000`;
    const [open] = await all.find({
      filter: { bucketId, partsKey: { $exists: true, $gte: from, $lt: `${from}\u00ff` } },
      sort: [['partsKey', 1]],
      limit: 1,
    });
    if (open !== undefined) throw invalid();
  }
  return `${listKeyOf(marked.key)}\u0000${idMarker}`;
}

/** ListMultipartUploads: the open ones, by key and then by age. @throws Fault */
export async function listUploads(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { address } = exchange;
  const { organizationId, _id: bucketId } = await requireBucket(door, exchange, address.bucket, 'read');
  const query = readListQuery(address, 'max-uploads');
  const { prefix, delimiter, encode } = query;
  const keyMarker = parameter(address, 'key-marker') ?? '';
  const idMarker = parameter(address, 'upload-id-marker') ?? '';
  const all = door.app.records.collection(uploads, scopeOf(organizationId));
  const end = behindPrefix(prefix);
  let after = keyMarker === '' ? '' : await placeBehind(door, { organizationId, bucketId }, keyMarker, idMarker);
  const lines: Line[] = [];
  let isTruncated = false;
  for (let isEnd = false; !isEnd && !isTruncated && query.limit > 0;) {
    const page: Upload[] = await all.find({
      filter: {
        bucketId,
        partsKey: {
          $exists: true,
          ...(after > listKeyOf(prefix) ? { $gt: after } : { $gte: listKeyOf(prefix) }),
          ...(end === null ? {} : { $lt: listKeyOf(end) }),
        },
      },
      sort: [['partsKey', 1]],
      limit: batchSize,
    });
    isEnd = page.length < batchSize;
    for (const upload of page) {
      after = upload.partsKey ?? '';
      const at = delimiter === '' ? -1 : upload.key.indexOf(delimiter, prefix.length);
      const line: Line = { upload, prefix: at < 0 ? null : upload.key.slice(0, at + delimiter.length) };
      if (line.prefix !== null && line.prefix === lines.at(-1)?.prefix) continue;
      // An id goes on within its prefix, as within its key.
      if (line.prefix !== null && line.prefix === keyMarker && idMarker === '') continue;
      if (lines.length >= query.limit) {
        isTruncated = true;
        break;
      }
      lines.push(line);
    }
  }
  const last = lines.at(-1);
  const owner = ownerElement(exchange, 'Initiator') + ownerElement(exchange);
  return xmlReply(
    xmlDocument(
      'ListMultipartUploadsResult',
      [
        element('Bucket', address.bucket),
        element('KeyMarker', encode(keyMarker)),
        element('UploadIdMarker', idMarker),
        isTruncated && last !== undefined
          ? element('NextKeyMarker', encode(last.prefix ?? last.upload.key)) +
            element('NextUploadIdMarker', last.upload._id)
          : '',
        element('Prefix', encode(prefix)),
        delimiter === '' ? '' : element('Delimiter', encode(delimiter)),
        element('EncodingType', query.encoding),
        element('MaxUploads', query.limit),
        element('IsTruncated', isTruncated),
        ...lines.map(({ prefix: common, upload }) =>
          common !== null
            ? `<CommonPrefixes>${element('Prefix', encode(common))}</CommonPrefixes>`
            : [
                '<Upload>',
                element('Key', encode(upload.key)),
                element('UploadId', upload._id),
                owner,
                element('StorageClass', 'STANDARD'),
                element('Initiated', new Date(upload.createdAt).toISOString()),
                element('ChecksumAlgorithm', upload.parts?.checksum?.algorithm),
                element('ChecksumType', upload.parts?.checksum?.type),
                '</Upload>',
              ].join(''),
        ),
      ].join(''),
    ),
  );
}

/** ListParts. @throws Fault */
export async function listParts(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { address } = exchange;
  const bucket = await requireBucket(door, exchange, address.bucket, 'read');
  const upload = await namedUpload(door, exchange, bucket);
  const limit = numberOf(address, 'max-parts', maxLines);
  const marker = numberOf(address, 'part-number-marker', Number.MAX_SAFE_INTEGER);
  const from = parameter(address, 'part-number-marker') === null ? 0 : marker;
  const behind = (await partsOf(door, upload)).filter(({ number }) => number > from);
  const page = behind.slice(0, limit);
  const algorithm = upload.parts.checksum?.algorithm;
  return xmlReply(
    xmlDocument(
      'ListPartsResult',
      [
        element('Bucket', address.bucket),
        element('Key', upload.key),
        element('UploadId', upload._id),
        element('PartNumberMarker', from),
        page.length < behind.length ? element('NextPartNumberMarker', page.at(-1)?.number ?? from) : '',
        element('MaxParts', limit),
        element('IsTruncated', page.length < behind.length),
        // The protocol's own word for an upload that was begun without a checksum.
        element('ChecksumAlgorithm', algorithm ?? 'null'),
        element('ChecksumType', upload.parts.checksum?.type ?? 'null'),
        ...page.map(({ number, at, md5, bytes, checksum }) =>
          [
            '<Part>',
            element('PartNumber', number),
            element('LastModified', new Date(at ?? upload.createdAt).toISOString()),
            element('ETag', `"${md5}"`),
            element('Size', bytes),
            algorithm === undefined ? '' : element(`Checksum${algorithm}`, checksum),
            '</Part>',
          ].join(''),
        ),
        ownerElement(exchange, 'Initiator'),
        ownerElement(exchange),
        element('StorageClass', 'STANDARD'),
      ].join(''),
    ),
  );
}
