import { createServer } from 'node:http';
import { forkServer, serveForked } from './forked-server.ts';

/** A bucket of generated objects, which are not stored. It only supports `ListObjectsV2`, and accepts any signature. */
export interface GeneratedBucket {
  /** Host and port. */
  host: string;
  bucket: string;
  stop(): void;
}

const bucket = 'made';
const maxKeys = 1000;
const folderObjects = 1000;

/** Prefix of the first thousand objects. */
export const firstFolder = 'folder-00000/';

/** The key of an object by its index, which has a fixed width so that keys are sorted. */
function keyOf(index: number): string {
  return `folder-${String(Math.floor(index / folderObjects)).padStart(5, '0')}/file-${String(index).padStart(8, '0')}.txt`;
}

/** The index of the first key after `after`. */
function indexAfter(after: string): number {
  const index = /-(\d{8})\.txt$/.exec(after)?.[1];
  return index === undefined ? 0 : Number(index) + 1;
}

/** The range of indexes of the objects below a prefix: all, or those of one folder. */
function rangeOf(objects: number, prefix: string): [number, number] {
  const folder = /^folder-(\d{5})\/$/.exec(prefix)?.[1];
  if (folder === undefined) return [0, objects];
  return [Math.min(objects, Number(folder) * folderObjects), Math.min(objects, (Number(folder) + 1) * folderObjects)];
}

/** A page in the documented format of ListObjectsV2. Each object has its own ETag. */
function pageOf(objects: number, query: URLSearchParams): string {
  const [from, to] = rangeOf(objects, query.get('prefix') ?? '');
  const first = Math.max(from, indexAfter(query.get('continuation-token') ?? query.get('start-after') ?? ''));
  const end = Math.min(to, first + Math.min(maxKeys, Number(query.get('max-keys') ?? maxKeys)));
  let contents = '';
  for (let index = first; index < end; index += 1) {
    const etag = index.toString(16).padStart(32, '0');
    contents += `<Contents><Key>${keyOf(index)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;${etag}&quot;</ETag><Size>${1000 + (index % 1000)}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
  }
  const more =
    end < to
      ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${keyOf(end - 1)}</NextContinuationToken>`
      : '<IsTruncated>false</IsTruncated>';
  return `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${bucket}</Name><Prefix></Prefix><KeyCount>${Math.max(0, end - first)}</KeyCount><MaxKeys>${maxKeys}</MaxKeys><EncodingType>url</EncodingType>${more}${contents}</ListBucketResult>`;
}

/** Starts it in a separate process and waits until it listens. */
export async function startGeneratedBucket(objects: number): Promise<GeneratedBucket> {
  const { port, stop } = await forkServer(import.meta.filename, [String(objects)]);
  return { host: `127.0.0.1:${port}`, bucket, stop };
}

function serve(objects: number): void {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://made');
    if (pathname.replaceAll('/', '') !== bucket || searchParams.get('list-type') !== '2') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/xml' }).end(pageOf(objects, searchParams));
  });
  serveForked(server);
}

if (import.meta.main) serve(Number(process.argv[2]));
