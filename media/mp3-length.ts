import { mpegSampleRate } from './frame-headers.ts';

/*
 * Encoders write the number of frames into a first silent frame of an MP3: LAME and ffmpeg as `Xing` or `Info` after
 * the side information, Fraunhofer's as `VBRI` at a fixed offset. Layouts:
 * https://www.codeproject.com/Articles/8295/MPEG-Audio-Frame-Header
 */

const headerBytes = 4;
/** Offset of `VBRI`, whatever side information the frame has. */
const fraunhoferOffset = headerBytes + 32;

/**
 * Samples of a frame of layer III, and bytes of its side information, by version and channels (ISO/IEC 11172-3,
 * 2.4.1.7; 13818-3).
 */
function frameOf(isFirstVersion: boolean, isMono: boolean): { samples: number; sideBytes: number } {
  return isFirstVersion ? { samples: 1152, sideBytes: isMono ? 17 : 32 } : { samples: 576, sideBytes: isMono ? 9 : 17 };
}

/** The number of frames that the first frame declares; null if it declares none. */
function declaredFrames(head: Buffer, at: number, sideBytes: number): number | null {
  const xing = at + headerBytes + sideBytes;
  const hasFrames =
    ['Xing', 'Info'].includes(head.toString('latin1', xing, xing + 4)) &&
    xing + 12 <= head.length &&
    (head.readUInt8(xing + 7) & 1) === 1;
  if (hasFrames) return head.readUInt32BE(xing + 8);
  const fraunhofer = at + fraunhoferOffset;
  return head.toString('latin1', fraunhofer, fraunhofer + 4) === 'VBRI' && fraunhofer + 18 <= head.length
    ? head.readUInt32BE(fraunhofer + 14)
    : null;
}

/**
 * Length in seconds that the MP3 frame at an offset declares for the whole recording; null if it declares none, or the
 * stream is of another kind.
 */
export function lengthInFrame(head: Buffer, at: number): number | null {
  if (at + headerBytes > head.length) return null;
  const [second, third, fourth] = [head.readUInt8(at + 1), head.readUInt8(at + 2), head.readUInt8(at + 3)];
  const isLayerThree = ((second >> 1) & 0b11) === 0b01;
  const samplesASecond = mpegSampleRate(second, third);
  if (!isLayerThree || samplesASecond === null) return null;
  const { samples, sideBytes } = frameOf(((second >> 3) & 0b11) === 0b11, fourth >> 6 === 0b11);
  const frames = declaredFrames(head, at, sideBytes);
  return frames === null || frames === 0 ? null : (frames * samples) / samplesASecond;
}
