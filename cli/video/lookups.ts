import type { LibraryView, VideoView } from '../../models/video.ts';
import { CommandError, type Connection } from '../connection.ts';
import { printable } from '../terminal.ts';

const pageSize = 200;

/** The organization's libraries, oldest first. */
export async function libraries(connection: Connection): Promise<LibraryView[]> {
  return (await connection.ask('GET', '/libraries'))['items'] as LibraryView[];
}

/** The organization's library with a name, else with an id. @throws CommandError if there is none */
export async function findLibrary(connection: Connection, name: string): Promise<LibraryView> {
  const all = await libraries(connection);
  const library = all.find((each) => each.name === name) ?? all.find(({ id }) => id === name);
  if (library === undefined)
    throw new CommandError(`There is no library ${printable(name)}. npm run ply -- video list shows those there are.`);
  return library;
}

/** What is followed of a video. */
export type VideoProgress = Pick<VideoView, 'id' | 'status' | 'errorCode' | 'renditions'>;

/** How far a video is. @throws CommandError */
export async function readVideo(connection: Connection, videoId: string): Promise<VideoProgress> {
  const { status, errorCode, renditions } = await connection.ask('GET', `/videos/${videoId}`);
  return {
    id: videoId,
    status: status as VideoView['status'],
    errorCode: errorCode as VideoView['errorCode'],
    renditions: renditions as VideoView['renditions'],
  };
}

/** The videos of a library, newest first. */
export async function* videosOf(connection: Connection, libraryId: string): AsyncGenerator<VideoView> {
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: URLSearchParams = new URLSearchParams({ limit: String(pageSize) });
    if (cursor !== '') query.set('cursor', cursor);
    const page = await connection.ask('GET', `/libraries/${libraryId}/videos?${query.toString()}`);
    yield* page['items'] as VideoView[];
    cursor = typeof page['nextCursor'] === 'string' ? page['nextCursor'] : null;
  }
}

/** The qualities of a video for people: `240p, 360p`. */
export function heightsText(renditions: VideoView['renditions']): string {
  return renditions.map(({ height }) => `${height}p`).join(', ');
}
