import type { RequestFailure } from '../../../mixins/guarded-client/failure.ts';
import type { ByteRange } from '../../../mixins/http/api/conditions.ts';
import type { ObjectHeaders, ObjectMetadata } from '../../../models/storage-object.ts';
import { authenticate, type Access } from '../auth/authenticate.ts';
import { containerOf, requireContainer, requireSas } from '../auth/authorize.ts';
import { presentBlob, type BlobExchange, type Door } from '../door.ts';
import { bareHost, readAddress, type BlobAddress } from '../protocol/address.ts';
import { checkChange, readConditions, type Conditions } from '../protocol/conditions.ts';
import { badHeader, Fault, notOffered } from '../protocol/faults.ts';

/** What is copied. */
export interface Source {
  size: number;
  contentType: string | null;
  metadata: ObjectMetadata;
  headers?: ObjectHeaders;
  /** Its bytes, or those of the range that was asked for. */
  body: AsyncIterable<Uint8Array>;
}

const sourceHeader = 'x-ms-copy-source';
const maxAddressLength = 8192;

/**
 * Opens what a request copies from: a blob of this service, or what another server has at an address.
 * @param most bytes that are taken. @throws Fault `InvalidHeaderValue`, `CannotVerifyCopySource`,
 *   `SourceConditionNotMet`, `RequestBodyTooLarge`, and those of a read
 */
export async function openSource(
  door: Door,
  exchange: BlobExchange,
  range: ByteRange | null,
  most: number,
): Promise<Source> {
  const { headers } = exchange.request;
  const sent = String(headers[sourceHeader] ?? '');
  if (sent.length > maxAddressLength || !/^https?:\/\//i.test(sent) || !URL.canParse(sent))
    throw badHeader(sourceHeader, sent);
  const conditions = readConditions({ headers }, 'x-ms-source-');
  const url = new URL(sent);
  const isOwn =
    bareHost(url.host) === bareHost(headers.host ?? '') ||
    door.hosts.has(bareHost(url.host)) ||
    door.accountOfHost(url.hostname) !== null;
  const source = isOwn
    ? await ownSource(door, exchange, url, conditions, range)
    : await foreignSource(door, url, conditions, range, most);
  if (source.size > most) throw new Fault('RequestBodyTooLarge', { elements: { MaxLimit: String(most) } });
  return source;
}

async function ownSource(
  door: Door,
  exchange: BlobExchange,
  { host, pathname, search }: URL,
  conditions: Conditions,
  range: ByteRange | null,
): Promise<Source> {
  const address = readAddress({ url: `${pathname}${search}`, headers: { host } }, door.accountOfHost);
  const access = await accessToSource(door, exchange, address);
  try {
    requireSas(access, { type: 'o', letters: 'r', permission: 'read', ofService: true });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw unreadable('This request is not authorized to perform this operation using this permission.');
  }
  if (address.query.get('snapshot') !== null || address.query.get('versionid') !== null)
    throw notOffered('Snapshots and versions');
  const named = await containerOf(door, access, address);
  const bucket = requireContainer({ access, bucket: named }, 'read');
  const object = await presentBlob(door, bucket, address.blob ?? '');
  try {
    checkChange(conditions, object);
  } catch {
    throw new Fault('SourceConditionNotMet');
  }
  const { size, content, contentType, metadata, headers } = object;
  if (range !== null && range.from >= size) throw new Fault('InvalidRange');
  const { from, to } = range === null ? { from: 0, to: size - 1 } : { ...range, to: Math.min(range.to, size - 1) };
  return {
    size: to - from + 1,
    contentType,
    metadata,
    ...(headers === undefined ? {} : { headers }),
    body: size === 0 ? nothing() : door.app.objects.read(content, { from, to }),
  };
}

/**
 * A source is read with the signature of its address, else with what the request itself was signed with: the account's
 * key, or a signature that reaches the source.
 * @throws Fault `CannotVerifyCopySource`
 */
async function accessToSource(
  door: Door,
  { access, origin, address: target }: BlobExchange,
  address: BlobAddress,
): Promise<Access> {
  if (address.query.get('sig') !== null)
    try {
      return await authenticate(door, { method: 'GET', headers: {}, rawHeaders: [] }, address, origin);
    } catch (error) {
      throw error instanceof Fault ? unreadable(error.message) : error;
    }
  const { sas, account } = access;
  const isSame = sas?.kind === 'account' || (address.container === target.container && sas?.kind === 'container');
  const isReached = sas === null || isSame || (address.path === target.path && sas.kind === 'blob');
  if (address.account !== account.name || !isReached)
    throw unreadable('The source has no signature, and that of the request does not reach it.');
  return access;
}

/** The fault of a source that the client may not read. */
function unreadable(message: string): Fault {
  return new Fault('CannotVerifyCopySource', { status: 403, message });
}

async function foreignSource(
  { client }: Door,
  url: URL,
  conditions: Conditions,
  range: ByteRange | null,
  most: number,
): Promise<Source> {
  const headers = {
    ...conditions,
    ...(range === null ? {} : { range: `bytes=${range.from}-${range.to === Infinity ? '' : range.to}` }),
  };
  const answer = await client.request(url, { headers, maxBytes: most }).catch((error: unknown) => {
    if (!isRequestFailure(error)) throw error;
    throw new Fault('CannotVerifyCopySource', { message: `The source could not be read: ${error.reason}.` });
  });
  const length = answer.header('content-length');
  const size = Number(length);
  const isRead = answer.status === (range === null ? 200 : 206) && length !== null && /^\d{1,15}$/.test(length);
  if (!isRead || size > most) {
    answer.discard();
    if (answer.status === 304 || answer.status === 412) throw new Fault('SourceConditionNotMet');
    if (isRead) throw new Fault('RequestBodyTooLarge', { elements: { MaxLimit: String(most) } });
    throw new Fault('CannotVerifyCopySource', {
      message: `The source was answered with ${answer.status}${length === null ? ' and no length' : ''}.`,
    });
  }
  return { size, contentType: answer.header('content-type'), metadata: {}, body: answer.body };
}

function isRequestFailure(error: unknown): error is RequestFailure {
  return error instanceof Error && error.name === 'RequestFailure';
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
