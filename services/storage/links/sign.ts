import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isReadable } from '../../../mixins/storage/readable-files.ts';
import { linkKeyOf } from '../../../mixins/storage/signing-key.ts';
import type { Caller } from '../../../models/api.ts';
import type { Bucket, LinkView } from '../../../models/bucket.ts';
import { invalid, Refusal } from '../../../models/errors.ts';
import { readHostname } from '../../../models/hostname.ts';
import { signDirectory, signLink } from '../../../models/links/sign.ts';
import { directorySchemes, type LinkKey } from '../../../models/links/token.ts';
import { isoTime } from '../../../models/runtime.ts';
import { ttlBounds, type SignRequest } from '../../../models/schemas/links.ts';
import { scopeOf } from '../../../models/scope.ts';
import { encodeKey } from '../../../models/storage-key.ts';
import { videoFiles, videoFolder, type Video } from '../../../models/video.ts';
import { storedObjects, type StoredObject } from '../../../models/storage-object.ts';
import { defaultLinkTtl } from '../settings/defaults.ts';
import { requireActive, type Storage } from '../tools.ts';
import { findVideo } from '../videos/tools.ts';
import { hostnamesOf } from './hostnames.ts';
import { withSigningKey } from './signing-key.ts';

/**
 * Makes the address of a file, a signed link or the plain one where the bucket is public; or the addresses of a video.
 * @throws Refusal `bucket_not_found`, `bucket_not_active`, `bucket_suspended`, `validation_error`, `domain_not_active`,
 *   `object_not_found`, `video_not_found`, `video_not_ready`
 */
export async function sign(storage: Storage, caller: Caller, request: SignRequest): Promise<LinkView> {
  const { app } = storage;
  const bucket = await withSigningKey(storage, caller.organizationId, request.bucketId);
  requireActive(bucket);
  if (bucket.suspendedAt !== null) throw new Refusal('bucket_suspended');
  const terms = termsOf(bucket, request);
  const hostname = await hostnameOf(storage, bucket, request.hostname);
  const video = request.videoId === undefined ? null : await playableOf(storage, bucket, request.videoId);
  const key = video === null ? (await fileOf(storage, bucket, request)).key : '';
  if (terms === null) return { url: `https://${hostname}/${encodeKey(key)}`, expiresAt: null };
  const linkKey = linkKeyOf(app, bucket);
  if (linkKey === null) throw new Error('a bucket with a signing key has none');
  const { ttlSeconds, ...bound } = terms;
  const expires = Math.floor(app.runtime.now() / 1000) + ttlSeconds;
  const expiresAt = isoTime(expires * 1000);
  if (video !== null)
    return { ...playbackLinks(bucket, linkKey, hostname, video, { expires, ip: bound.ip }), expiresAt };
  const link = signLink(bucket.linkScheme, linkKey, key, { expires, ...bound });
  return { url: `https://${hostname}${link}`, expiresAt };
}

/** A video of the library that can be played. @throws Refusal `video_not_found`, `video_not_ready` */
async function playableOf({ app }: Storage, bucket: Bucket, videoId: string): Promise<Video> {
  const video = await findVideo(app, bucket.organizationId, videoId);
  if (video.libraryId !== bucket._id || video.disabledAt !== null) throw new Refusal('video_not_found');
  if (!video.plays) throw new Refusal('video_not_ready');
  return video;
}

/** The addresses of a video's files: one link covers all of them, and nothing else. */
function playbackLinks(
  { linkScheme }: Bucket,
  key: LinkKey,
  hostname: string,
  { _id, poster, thumbnails, download }: Video,
  terms: { expires: number; ip: string | null },
): Omit<LinkView, 'expiresAt'> {
  const folder = videoFolder(_id);
  const { query, nativePrefix } = signDirectory(directorySchemes[linkScheme], key, folder.slice(0, -1), terms);
  const file = (name: string): string => `https://${hostname}/${folder}${name}?${query}`;
  return {
    url: file(videoFiles.master),
    nativeUrl: `https://${hostname}${nativePrefix}/${folder}${videoFiles.master}`,
    posterUrl: poster ? file(videoFiles.poster) : null,
    thumbnailsUrl: thumbnails ? file(videoFiles.thumbnails) : null,
    downloadUrl: download ? file(videoFiles.download) : null,
  };
}

/** What a link of a private bucket binds; null for a public one. @throws Refusal `validation_error` */
function termsOf(
  { visibility, settings: { delivery }, kind }: Bucket,
  { ttlSeconds, ip, tags = {}, videoId }: SignRequest,
): { ttlSeconds: number; ip: string | null; tags: NonNullable<SignRequest['tags']> } | null {
  const isPublic = visibility === 'public';
  const ttl = isPublic || ttlSeconds === undefined ? (delivery.linkTtlSeconds ?? defaultLinkTtl[kind]) : ttlSeconds;
  const { min, max } = ttlBounds;
  if (typeof ttl !== 'number' || !Number.isInteger(ttl) || ttl < min || ttl > max)
    throw invalid(['body', 'ttlSeconds'], `ttlSeconds must be a whole number from ${min} to ${max}.`);
  const address = isPublic ? null : boundAddress(ip, delivery.ipBinding);
  if (Object.keys(tags).length > 0 && (isPublic || kind !== 'files' || videoId !== undefined))
    throw invalid(['body', 'tags'], 'tags are for links to files of private buckets.');
  return isPublic ? null : { ttlSeconds: ttl, ip: address, tags };
}

/** @throws Refusal `validation_error` */
function boundAddress(ip: unknown, isBound: boolean): string | null {
  if (!isBound) {
    if (ip === undefined) return null;
    throw invalid(['body', 'ip'], 'ip is for buckets that bind their links to addresses.');
  }
  const address = typeof ip === 'string' ? ipv4Of(ip) : null;
  if (address === null) throw invalid(['body', 'ip'], 'ip must be an IPv4 address: the bucket binds its links.');
  return address;
}

/** An IPv4 address in dotted form; an IPv4-mapped IPv6 address is one (RFC 4291, 2.5.5.2). Null for other texts. */
function ipv4Of(given: string): string | null {
  if (isIPv4(given)) return given;
  if (!isIPv6(given) || given.includes('%')) return null;
  const address = ipaddr.IPv6.parse(given);
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : null;
}

/** @throws Refusal `validation_error`, `domain_not_active` */
async function hostnameOf({ app }: Storage, bucket: Bucket, given: string | undefined): Promise<string> {
  const hostnames = await hostnamesOf(app, bucket);
  if (given === undefined) return hostnames[0];
  const read = readHostname(given);
  if ('problem' in read) throw invalid(['body', 'hostname'], `hostname ${read.problem}.`);
  if (!hostnames.includes(read.hostname)) throw new Refusal('domain_not_active');
  return read.hostname;
}

/** The file that is named by its key or id, if it is delivered. @throws Refusal `object_not_found` */
async function fileOf({ app }: Storage, bucket: Bucket, { key, objectId }: SignRequest): Promise<StoredObject> {
  const objects = app.records.collection(storedObjects, scopeOf(bucket.organizationId));
  const found =
    objectId === undefined
      ? (await objects.find({ filter: { bucketId: bucket._id, liveKey: key ?? '' }, limit: 1 }))[0]
      : await objects.get(objectId);
  const isThere = found?.bucketId === bucket._id && found.liveKey !== undefined;
  if (!isThere || !(await isReadable(app, found))) throw new Refusal('object_not_found');
  return found;
}
