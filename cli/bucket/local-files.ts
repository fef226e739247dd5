import { opendir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** A file of this machine that is uploaded. */
export interface LocalFile {
  path: string;
  key: string;
  size: number;
  /** Milliseconds. */
  modifiedAt: number;
}

/** The files of a folder and below it, or one file; what is neither is left out. Keys are paths below the folder. */
export async function filesOf(target: string, prefix: string): Promise<LocalFile[]> {
  const facts = await stat(target);
  if (!facts.isDirectory()) return [fileOf(target, `${prefix}${basename(target)}`, facts)];
  const files: LocalFile[] = [];
  const walk = async (folder: string, keyPrefix: string): Promise<void> => {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await walk(path, `${keyPrefix}${entry.name}/`);
      else if (entry.isFile()) files.push(fileOf(path, `${keyPrefix}${entry.name}`, await stat(path)));
    }
  };
  await walk(target, prefix);
  return files.sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)));
}

function fileOf(path: string, key: string, { size, mtimeMs }: { size: number; mtimeMs: number }): LocalFile {
  return { path, key, size, modifiedAt: mtimeMs };
}

const types: { readonly [extension: string]: string } = {
  '3gp': 'video/3gpp',
  avi: 'video/x-msvideo',
  avif: 'image/avif',
  css: 'text/css',
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html',
  html: 'text/html',
  ico: 'image/vnd.microsoft.icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  m2ts: 'video/mp2t',
  m4a: 'audio/mp4',
  m4v: 'video/x-m4v',
  md: 'text/markdown',
  mjs: 'text/javascript',
  mkv: 'video/x-matroska',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  mpeg: 'video/mpeg',
  mpg: 'video/mpeg',
  mts: 'video/mp2t',
  ogv: 'video/ogg',
  pdf: 'application/pdf',
  png: 'image/png',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  txt: 'text/plain',
  vtt: 'text/vtt',
  wasm: 'application/wasm',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  woff2: 'font/woff2',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  zip: 'application/zip',
};

/** The media type of a file by its extension (https://www.iana.org/assignments/media-types). */
export function typeOf(key: string): string {
  const extension = /\.([A-Za-z0-9]+)$/.exec(key)?.[1]?.toLowerCase() ?? '';
  return (Object.hasOwn(types, extension) ? types[extension] : undefined) ?? 'application/octet-stream';
}
