import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Collection } from '../../adapters/records/port.ts';
import { call, type ActionCaller } from '../../mixins/actions/call.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { scopeOf } from '../../models/scope.ts';
import type { VideoFile } from '../../models/schemas/videos.ts';
import { behindPrefix, listKeyOf } from '../../models/storage-key.ts';
import { storedObjects, type StoredObject } from '../../models/storage-object.ts';
import { videoFolder, type Video, type videoFiles } from '../../models/video.ts';
import { VideoFailed } from './failure.ts';
import type { Segment } from './playlists.ts';

/** Files that become objects with one call. */
const filesPerCall = 50;
/** Objects that are read at a time. */
const pageSize = 500;

const types: { readonly [extension: string]: string } = {
  m3u8: 'application/vnd.apple.mpegurl',
  m4s: 'video/iso.segment',
  mp4: 'video/mp4',
  jpg: 'image/jpeg',
  vtt: 'text/vtt',
};

/** Name of a segment's file. */
function segmentName(number: number): string {
  return `seg-${String(number).padStart(5, '0')}.m4s`;
}

/** A file that is to become an object of the video: its name below the video's folder, and where its bytes are. */
export interface NewFile {
  name: string;
  bytes: { path: string } | { text: string };
  metadata?: VideoFile['metadata'];
}

/** A file beside the encodings of a video, but for the playlist. */
type BesideEncodings = Exclude<(typeof videoFiles)[keyof typeof videoFiles], 'master.m3u8'>;

/** The files of one video, as an encoder reads and writes them while it holds the video's lease. */
export class VideoFiles {
  readonly #app: AppContext;
  readonly #actions: ActionCaller;
  readonly #video: Video;
  readonly #objects: Collection<StoredObject>;
  readonly #token: () => Promise<number>;

  /** @param token of the lease that files are written under; that of the video by default */
  constructor(app: AppContext, actions: ActionCaller, video: Video, token = () => Promise.resolve(video.run.token)) {
    this.#token = token;
    this.#app = app;
    this.#actions = actions;
    this.#video = video;
    this.#objects = app.records.collection(storedObjects, scopeOf(video.organizationId));
  }

  /** Stores files and makes objects of them, in their order. @throws Refusal where the lease is lost */
  async write(files: readonly NewFile[]): Promise<void> {
    for (let at = 0; at < files.length; at += filesPerCall) {
      const stored: VideoFile[] = [];
      for (const file of files.slice(at, at + filesPerCall)) stored.push(await this.#store(file));
      await call(this.#actions, 'storage.writeVideoFiles', { ...(await this.#leased()), files: stored });
    }
  }

  /** Removes what earlier encodings have made. @param unmade files in the video's folder that this one has not made */
  async removeFormer(unmade: readonly BesideEncodings[]): Promise<void> {
    const { generation } = this.#video;
    const page = { ...(await this.#leased()), generation, unmade: [...unmade] };
    while ((await call(this.#actions, 'storage.removeFormerEncodings', page)).more);
  }

  /** Segments of a folder that are there without a gap, and whether the last one is the last of all. */
  async segments(folder: string): Promise<{ segments: Segment[]; isWhole: boolean }> {
    const segments: Segment[] = [];
    for await (const { key, size, metadata } of this.#under(`${folder}seg-`)) {
      const name = key.slice(key.lastIndexOf('/') + 1);
      if (name !== segmentName(segments.length)) break;
      segments.push({ name, seconds: Number(metadata['seconds']), bytes: size });
      if (metadata['last'] === true) return { segments, isWhole: true };
    }
    return { segments, isWhole: false };
  }

  /** Segments of a folder that are there from a number on, in order; there may be gaps. */
  async *segmentsFrom(folder: string, first: number): AsyncGenerator<{ number: number; isLast: boolean }> {
    for await (const { key, metadata } of this.#under(`${folder}seg-`, `${folder}${segmentName(first)}`))
      yield { number: Number(/(\d+)\.m4s$/.exec(key)?.[1]), isLast: metadata['last'] === true };
  }

  /** Bytes of all files of the video but for the source. */
  async bytes(): Promise<number> {
    let sum = 0;
    for await (const { size } of this.#under('')) sum += size;
    return sum;
  }

  /** Writes the bytes of the source to a file. @throws VideoFailed `video_source_missing` */
  async fetchSource(path: string, signal: AbortSignal): Promise<void> {
    const { source } = this.#video;
    const object = source === null ? null : await this.#objects.get(source.objectId);
    if (object?.contentId === undefined || object.contentId !== source?.contentId)
      throw new VideoFailed('video_source_missing', 'the source was removed or replaced');
    await this.#fetch([object], path, signal);
  }

  /** Writes files of the video one behind another to a file. @param names below the video's folder */
  async join(names: readonly string[], path: string, signal: AbortSignal): Promise<void> {
    const found: StoredObject[] = [];
    for (const name of names) found.push(await this.#object(name));
    await this.#fetch(found, path, signal);
  }

  /** A small file of the video. @param name below the video's folder */
  async read(name: string): Promise<Buffer> {
    const { content, size } = await this.#object(name);
    const pieces: Buffer[] = [];
    for await (const piece of this.#app.objects.read(content, { from: 0, to: size - 1 }))
      pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces);
  }

  async #object(name: string): Promise<StoredObject> {
    const liveKey = `${videoFolder(this.#video._id)}${name}`;
    const [found] = await this.#objects.find({ filter: { bucketId: this.#video.libraryId, liveKey }, limit: 1 });
    if (found === undefined) throw new Error(`the file ${name} of a video is not there`);
    return found;
  }

  async #fetch(found: readonly StoredObject[], path: string, signal: AbortSignal): Promise<void> {
    const file = await open(path, 'w', 0o600);
    try {
      for (const { content, size } of found) {
        if (size === 0) continue;
        for await (const piece of this.#app.objects.read(content, { from: 0, to: size - 1 })) {
          signal.throwIfAborted();
          await file.write(piece);
        }
      }
    } catch (error) {
      if (error instanceof Error && error.name === 'ContentNotFound')
        throw new VideoFailed('video_source_missing', error.message);
      throw error;
    } finally {
      await file.close();
    }
  }

  /** Objects of the video whose names below its folder begin with a text, in order. @param first the first name */
  async *#under(prefix: string, first = prefix): AsyncGenerator<StoredObject> {
    const { libraryId: bucketId, _id } = this.#video;
    const from = listKeyOf(`${videoFolder(_id)}${first}`);
    const end = behindPrefix(listKeyOf(`${videoFolder(_id)}${prefix}`));
    for (let after: string | undefined; ;) {
      const page: StoredObject[] = await this.#objects.find({
        filter: { bucketId, listKey: { $exists: true, $gte: from, ...(end === null ? {} : { $lt: end }) } },
        sort: [['listKey', 1]],
        limit: pageSize,
        ...(after === undefined ? {} : { after: [after] }),
      });
      yield* page;
      after = page.at(-1)?.listKey;
      if (page.length < pageSize || after === undefined) return;
    }
  }

  async #store({ name, bytes, metadata = {} }: NewFile): Promise<VideoFile> {
    const { objects, runtime } = this.#app;
    const id = runtime.uuid();
    const hash = createHash('md5');
    const size = 'text' in bytes ? Buffer.byteLength(bytes.text) : (await stat(bytes.path)).size;
    const pieces =
      'text' in bytes ? [Buffer.from(bytes.text)] : (createReadStream(bytes.path) as AsyncIterable<Buffer>);
    async function* hashed(): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces) {
        hash.update(piece);
        yield piece;
      }
    }
    const part = { name: '1', bytes: size };
    await objects.writePart(id, part, hashed());
    const content = await objects.join(id, [part]);
    const contentType = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    return { name, size, contentType, etag: `"${hash.digest('hex')}"`, content: { ...content }, metadata };
  }

  async #leased(): Promise<{ organizationId: string; videoId: string; token: number }> {
    const { organizationId, _id: videoId } = this.#video;
    return { organizationId, videoId, token: await this.#token() };
  }
}

/** The segments that a run of ffmpeg has written to a folder, as its own playlist lists them. */
export async function madeSegments(folder: string): Promise<Segment[]> {
  const playlist = await readFile(join(folder, 'index.m3u8'), 'utf8');
  const listed = [...playlist.matchAll(/#EXTINF:([\d.]+),[^\n]*\n([^\n#]+)/g)];
  return Promise.all(
    listed.map(async ([, seconds = '0', name = '']) => ({
      name,
      seconds: Number(seconds),
      bytes: (await stat(join(folder, name))).size,
    })),
  );
}
