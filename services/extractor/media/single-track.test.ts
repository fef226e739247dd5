import { readFileSync } from 'node:fs';
import { skipLoudly } from '../../../test/support/servers.ts';
import { ByteFeed } from './byte-feed.ts';
import { sniffContainer, sniffedBytes } from './containers.ts';
import { probe } from './probe.ts';
import { findPrograms } from './programs.ts';
import { singleTrack } from './single-track.ts';
import { lavfi, openStudio, pictures, tone } from './testing/recordings.ts';

const studio = await openStudio();
const found = await findPrograms('');
if ('unavailable' in studio || 'missing' in found) skipLoudly('recordings of a single track', 'unavailable' in studio ? studio.unavailable : 'there is no ffprobe');
else describe('of containers that hold a single track', () => {
  afterAll(() => studio.close());

  /** An ID3v2 tag of so many bytes behind its head. */
  const tag = (bytes: number): Buffer => Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), Buffer.from([21, 14, 7, 0].map((shift) => (bytes >> shift) & 0x7f)), Buffer.alloc(bytes)]);
  const cover = [...tone(1), ...pictures(1), '-map', '0:a', '-map', '1:v', '-frames:v', '1', '-c:v', 'png', '-disposition:v', 'attached_pic'];

  it.each([
    ['a.wav', tone(2)], ['stereo.mp3', [...tone(2), '-ac', '2']], ['stereo.aac', [...tone(2), '-ac', '2']], ['stereo.flac', [...tone(2), '-ac', '2']], ['surround.aac', [...tone(1), '-af', 'pan=7.1|c2=c0']], ['surround.wav', [...tone(1), '-af', 'pan=5.1|c2=c0', '-c:a', 'pcm_s24le']], ['a.mp3', [...tone(30), '-q:a', '3']], ['cover.mp3', cover],
    ['a.aac', tone(2)], ['a.flac', tone(2.5)], ['cover.flac', cover], ['high.flac', [...lavfi('sine=duration=3:sample_rate=96000'), '-sample_fmt', 's32']],
  ])('%s holds what ffprobe says', async (name, args) => {
    const content = readFileSync(await studio.make(name, ...args));
    const container = sniffContainer(content.subarray(0, sniffedBytes), name);
    if (container === null) throw new Error('it is of no container');
    const confinement = { prefix: [], used: [] };
    const asked = await probe({ ffprobe: found.programs.ffprobe, confinement, container, feed: new ByteFeed((async function* () { yield content; })()), signal: new AbortController().signal });
    expect(singleTrack(container, content.subarray(0, sniffedBytes))).toEqual(asked);
  });

  it('a FLAC tells its length behind tags, and none where it did not know it', async () => {
    const content = readFileSync(await studio.make('a.flac', ...tone(2.5)));
    expect(singleTrack('flac', Buffer.concat([tag(300), tag(0), content]))).toMatchObject({ seconds: 2.5 });
    const unknown = Buffer.from(content);
    unknown.writeUInt8(unknown.readUInt8(21) & 0xf0, 21);
    unknown.writeUInt32BE(0, 22);
    expect(singleTrack('flac', unknown)).toMatchObject({ seconds: null });
  });

  it('a WAV tells its channels behind other chunks', async () => {
    const content = readFileSync(await studio.make('a.wav', ...tone(2)));
    const chunk = Buffer.concat([Buffer.from('bext\x03\x01\0\0', 'latin1'), Buffer.alloc(260)]);
    expect(singleTrack('wav', Buffer.concat([content.subarray(0, 12), chunk, content.subarray(12)]))).toMatchObject({ soundTracks: [{ channels: 1 }] });
  });

  it('ffprobe is asked about one whose description is out of sight', () => {
    const riff = Buffer.from('RIFF\0\0\0\0WAVEbext\xf0\xff\xff\x0f', 'latin1');
    expect(singleTrack('wav', Buffer.concat([riff, Buffer.alloc(100)]))).toBeNull();
    expect(singleTrack('wav', riff.subarray(0, 14))).toBeNull();
    for (const container of ['flac', 'mp3', 'aac'] as const) expect(singleTrack(container, tag(sniffedBytes).subarray(0, sniffedBytes))).toBeNull();
    expect(singleTrack('flac', Buffer.from('fLaC\x04'))).toBeNull();
    expect(singleTrack('flac', Buffer.concat([Buffer.from('fLaC\x04', 'latin1'), Buffer.alloc(100)]))).toBeNull();
  });
});

it.each(['mov', 'matroska', 'avi', 'ogg', 'mpegts', 'w64', 'loas'] as const)('ffprobe is asked about %s', (container) => {
  expect(singleTrack(container, Buffer.alloc(sniffedBytes))).toBeNull();
});
