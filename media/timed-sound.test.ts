import fc from 'fast-check';
import { ExtractionFailure } from '../models/extraction-failure.ts';
import { TimedSoundReader, type TimedSound } from './timed-sound.ts';

/** A Matroska element; without content, one of unknown size. */
function element(id: string, content?: Buffer): Buffer {
  const size =
    content === undefined
      ? Buffer.from('01ffffffffffffff', 'hex')
      : Buffer.from([0x40 | (content.length >> 8), content.length & 0xff]);
  return Buffer.concat([Buffer.from(id, 'hex'), size, content ?? Buffer.alloc(0)]);
}

const block = (time: number, ...samples: number[]): Buffer =>
  Buffer.from([0x81, (time >> 8) & 0xff, time & 0xff, 0x80, ...samples]);
const file = Buffer.concat([
  element('1a45dfa3', Buffer.from('4286810142f78101', 'hex')),
  element('18538067'),
  element('ec', Buffer.alloc(100)),
  element('1654ae6b', Buffer.alloc(30, 0xa3)),
  element('1f43b675'),
  element('e7', Buffer.from([0x01, 0x00])),
  element('a3', block(0, 1, 2)),
  element('a3', block(-6, 3, 4, 5, 6)),
  element(
    '1f43b675',
    Buffer.concat([element('e7', Buffer.from([0x10, 0, 0])), element('a0', element('a1', block(7, 8, 9)))]),
  ),
]);
const heard = [
  [256, [1, 2]],
  [250, [3, 4, 5, 6]],
  [0x10_0007, [8, 9]],
];

function read(bytes: Buffer, portion: number): TimedSound[] {
  const reader = new TimedSoundReader();
  const sounds: TimedSound[] = [];
  for (let at = 0; at < bytes.length; at += portion) sounds.push(...reader.read(bytes.subarray(at, at + portion)));
  return sounds;
}

describe("the decoder's sound", () => {
  it.each([1, 7, 64, 10_000])('is read with its times in portions of %i bytes', (portion) => {
    expect(read(file, portion).map(({ milliseconds, samples }) => [milliseconds, [...samples]])).toEqual(heard);
  });

  it('is rejected if a block is too large', () => {
    expect(() => read(Buffer.concat([element('18538067'), Buffer.from('a3107fffffff', 'hex')]), 1000)).toThrow(
      ExtractionFailure,
    );
    expect(() => read(Buffer.from('0012', 'hex'), 1000)).toThrow(ExtractionFailure);
  });

  it('yields audio or a failure for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(file.length), (bytes, at) => {
        let failure: unknown = null;
        try {
          read(Buffer.concat([file.subarray(0, at), bytes, file.subarray(at)]), 16);
        } catch (error) {
          failure = error;
        }
        expect(failure === null || failure instanceof ExtractionFailure).toBe(true);
      }),
    );
  });
});
