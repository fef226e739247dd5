import type { AuditLogRow } from './audit-log.ts';
import { defineCollection } from './collection.ts';
import type { EdgeChange } from './edge-change.ts';
import type { newVideoAnswer, libraryAnswer, videoAnswer } from './schemas/answers/videos.ts';
import type { Infer } from './schemas/schema.ts';
import type { VideoDefaults } from './settings.ts';
import type { NewUsageEvent } from './usage-event.ts';
import type { OutboxItem, Runnable, WorkRun } from './work.ts';

/** Status of a video in the API. */
export const videoStatuses = ['uploading', 'queued', 'encoding', 'playable', 'ready', 'failed'] as const;
/** Status of a video in the API. */
export type VideoStatus = (typeof videoStatuses)[number];

/** Why a video failed. */
export const videoFailures = [
  'video_unreadable',
  'video_no_video_stream',
  'video_too_long',
  'video_resolution_unsupported',
  'video_source_missing',
  'upload_abandoned',
  'encoding_failed',
] as const;
/** Why a video failed. */
export type VideoFailure = (typeof videoFailures)[number];

/**
 * What is worked on a video: the source is probed and its lowest rendition made, with the audio, which makes it
 * playable; the other renditions and files are made; a deleted video's files are removed.
 */
export type VideoStage = 'encoding_first' | 'encoding_rest' | 'removing_video';

/** The work on a video that is in progress, or was last. While its upload is open, or unchecked, it is paused. */
export interface VideoRun extends WorkRun {
  stage: VideoStage;
}

/** Where a value of `processing` or `encoding` comes from. */
export type ProcessingOrigin = 'library' | 'organization' | 'parent' | 'default';

/** The origin of each value. */
export type ProcessingOrigins = { [K in keyof VideoDefaults]: ProcessingOrigin };

/** The settings that a video is encoded with, as they were when its encoding began. */
export type EncodingSettings = VideoDefaults & { origins: ProcessingOrigins };

/** A rendition that is to be made. */
export interface PlannedRendition {
  height: number;
  width: number;
  /** Peak of the picture's bit rate, in kbit/s. */
  maxKbps: number;
}

/** What an encoding makes: fixed when it begins, so that a worker that takes over makes the same. */
export interface EncodingPlan {
  settings: EncodingSettings;
  /** The source as the probe found it; `container` is the name of ffmpeg's demuxer. */
  container: string;
  videoIndex: number;
  audioIndex: number | null;
  frameRate: { num: number; den: number };
  isInterlaced: boolean;
  isHdr: boolean;
  durationSeconds: number | null;
  /** Seconds from which the last picture stays while the sound goes on; absent where they end together. */
  heldFrom?: number;
  width: number;
  height: number;
  /** Ascending. */
  renditions: PlannedRendition[];
}

/** A rendition that is there. */
export interface VideoRendition {
  height: number;
  width: number;
  /** Peak of its segments with the audio, in bits per second. */
  bandwidth: number;
}

/** Metadata of a video. */
export interface VideoMetadata {
  [key: string]: string | number | boolean;
}

/** The source of a video: an object of its library. */
export interface VideoSource {
  objectId: string;
  /** Id of its content: the object must still have it when it is read. */
  contentId: string;
  size: number;
}

/** Types of a video's events. */
export type VideoEventType = 'video.playable' | 'video.ready' | 'video.failed';

/** An event of a video, as it was when the video changed. It is published once, under its id. */
export interface VideoEvent {
  /** A UUID. */
  id: string;
  type: VideoEventType;
  /** Milliseconds. */
  at: number;
  organizationId: string;
  videoId: string;
  libraryId: string;
  status: VideoStatus;
  errorCode: VideoFailure | null;
  /** Counts the events of the video from 1. */
  sequence: number;
}

/** A change of another store that follows from a change of a video. */
export type VideoEntry = OutboxItem &
  (
    | { kind: 'event'; event: VideoEvent }
    | { kind: 'audit'; row: AuditLogRow }
    | { kind: 'edge'; change: EdgeChange }
    | { kind: 'usage'; event: NewUsageEvent }
    /** The source is not kept. */
    | { kind: 'drop_source' }
  );

/** A run of ffmpeg that an encoder makes. */
export interface RunClaim {
  /** Node id. */
  owner: string;
  /** Store time in milliseconds at which another one may take it. */
  until: number;
}

/** A video of a library, with the work on it. */
export interface Video extends Runnable {
  accountId: string;
  /** Id of the bucket of kind `video` that it lies in. */
  libraryId: string;
  title: string;
  metadata: VideoMetadata;
  status: VideoStatus;
  errorCode: VideoFailure | null;
  sourceKey: string;
  uploadId: string;
  /** Null until the upload was completed, and after the source was removed. */
  source: VideoSource | null;
  /** What the probe found; null before. Sides are as displayed: rotation and pixel shape applied. */
  durationSeconds: number | null;
  width: number | null;
  height: number | null;
  hasAudio: boolean | null;
  /** Renditions that can be played, ascending. */
  renditions: VideoRendition[];
  /** Null until its encoding begins. */
  encoding: EncodingSettings | null;
  /** Whether the files are there. */
  poster: boolean;
  thumbnails: boolean;
  download: boolean;
  /** Whether `master.m3u8` is there: while a video is encoded again, the former one is, and plays. */
  plays: boolean;
  /** Bytes of its files, the source included, as of the last change of its status. */
  storedBytes: number;
  /** Source seconds / 60 once it is ready. */
  encodingMinutes: number | null;
  /** Of the encoding in progress, or of the last. */
  plan?: EncodingPlan | null;
  /** Runs of the stage in progress that encoders make, by their names. */
  claims?: { [run: string]: RunClaim };
  /** Counts its encodings from 1: each has a folder of its own for its renditions. 0 before the first. */
  generation: number;
  /** Events so far. */
  eventCount: number;
  /** When the operator took it down; null if it is not. */
  disabledAt: number | null;
  createdAt: number;
  updatedAt: number;
  playableAt: number | null;
  readyAt: number | null;
  /** Equal to createdAt until it is deleted: lists are sorted by it, and without it there is no such video. */
  listedAt?: number;
  /** Of a deleted video: store time from which no encoder can be writing its files any more. */
  quietAt?: number;
  /** When the files of a deleted video were removed: its record follows. */
  goneAt?: number;
  run: VideoRun;
  outbox: VideoEntry[];
}

/** The videos of all organizations. */
export const videos = defineCollection<Video>({
  name: 'videos',
  owner: 'organization',
  indexes: [
    { name: 'listed', fields: ['organizationId', 'libraryId', 'listedAt', '_id'], sparse: true },
    { name: 'listed_status', fields: ['organizationId', 'libraryId', 'status', 'listedAt', '_id'] },
    { name: 'library', fields: ['organizationId', 'libraryId', '_id'] },
    { name: 'source', fields: ['organizationId', 'libraryId', 'sourceKey', '_id'] },
    { name: 'turn', fields: ['run.phase', 'run.stage', 'organizationId', 'run.queuedAt'] },
    { name: 'due', fields: ['run.phase', 'run.dueAt'] },
    { name: 'outbox', fields: ['outboxDue'], sparse: true },
    { name: 'gone', fields: ['goneAt'], sparse: true },
  ],
});

/** The folder of a video's files but for the source; with a slash at its end. */
export function videoFolder(videoId: string): string {
  return `videos/${videoId}/`;
}

/** The folder of what one encoding of a video made, but for the files in `videoFiles`; with a slash at its end. */
export function encodingFolder(videoId: string, generation: number): string {
  return `${videoFolder(videoId)}e${generation}/`;
}

/** Names of a video's files in its folder. */
export const videoFiles = {
  master: 'master.m3u8',
  poster: 'poster.jpg',
  thumbnails: 'thumbnails.vtt',
  download: 'download.mp4',
} as const;

/** The folder of sources in a library; with a slash at its end. */
export const sourcesFolder = 'sources/';

/** Whether a key lies directly under `sources/`. */
export function isSourceKey(key: string): boolean {
  return key.startsWith(sourcesFolder) && key.length > sourcesFolder.length && !key.includes('/', sourcesFolder.length);
}

const extensionForm = /\.([A-Za-z0-9]{1,10})$/;

/** A file name without its extension, as the title of a video; null if nothing is left. At most 200 characters. */
export function titleOf(fileName: string): string | null {
  const title = Array.from(fileName.replace(extensionForm, '')).slice(0, 200).join('');
  return title === '' ? null : title;
}

const extensionsByType: { readonly [type: string]: string } = {
  'video/mp4': '.mp4',
  'video/quicktime': '.mov',
  'video/webm': '.webm',
  'video/x-matroska': '.mkv',
  'video/matroska': '.mkv',
  'video/x-msvideo': '.avi',
  'video/avi': '.avi',
  'video/vnd.avi': '.avi',
};

/**
 * The extension of a source's key, with its dot: that of the file name, else that of the type; empty if neither has one.
 * @param type a media type without parameters
 */
export function sourceExtension(fileName: string, type: string): string {
  const [extension] = extensionForm.exec(fileName) ?? [];
  return extension?.toLowerCase() ?? extensionsByType[type] ?? '';
}

/** A library as the API shows it. */
export type LibraryView = Infer<typeof libraryAnswer>;
/** A video as the API shows it. */
export type VideoView = Infer<typeof videoAnswer>;
/** A new video with its upload. */
export type NewVideoView = Infer<typeof newVideoAnswer>;
