/** Streams of frames without a container. */
export type FrameStream = 'mp3' | 'aac' | 'loas';

/** Consecutive frames, each where the previous one ends, that identify a stream. */
const framesInARow = 4;

/**
 * Kilobits a second by the index in the header: layers I, II and III of version 1, then layer I, and II and III, of
 * version 2 (ISO/IEC 11172-3, 2.4.2.3; 13818-3).
 */
const bitRates = {
  first: [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  ],
  second: [
    [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ],
} as const;
/** Samples a second of version 1 by the index in the header; version 2 has half, 2.5 a quarter. */
const sampleRates = [44_100, 48_000, 32_000] as const;

/**
 * The stream whose frame header is at an offset: 11 sync bits, then version and layer (ISO/IEC 11172-3, 13818-7), or
 * the length of a LATM frame (14496-3, 1.7.2). Text can look like a LATM header, so more frames must follow it.
 */
export function frameAt(head: Uint8Array, at: number): FrameStream | null {
  const stream = syncAt(head, at);
  return stream === 'loas' && !beginsStream(head, at, stream) ? null : stream;
}

function syncAt(head: Uint8Array, at: number): FrameStream | null {
  const [first = 0, second = 0, third = 0] = head.subarray(at, at + 3);
  if (first === 0x56 && (second & 0xe0) === 0xe0) return 'loas';
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return null;
  const layer = (second >> 1) & 0b11;
  if (layer === 0) return (second & 0xf0) === 0xf0 && ((third >> 2) & 0b1111) < 13 ? 'aac' : null;
  const isVersion = ((second >> 3) & 0b11) !== 0b01;
  const hasRate = third >> 4 !== 0b1111 && ((third >> 2) & 0b11) !== 0b11;
  return isVersion && hasRate ? 'mp3' : null;
}

/** Samples a second by the second and third byte of an MPEG frame header; null if they are invalid. */
export function mpegSampleRate(second: number, third: number): number | null {
  const rate = sampleRates[(third >> 2) & 0b11];
  const version = (second >> 3) & 0b11;
  if (rate === undefined || version === 0b01) return null;
  return version === 0b11 ? rate : version === 0b10 ? rate / 2 : rate / 4;
}

/** Length in bytes of the frame whose header is at an offset; null if the header is invalid. */
function frameBytes(head: Uint8Array, at: number, stream: FrameStream): number | null {
  const [, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0] = head.subarray(at, at + 6);
  if (stream === 'aac') {
    const bytes = ((fourth & 0b11) << 11) | (fifth << 3) | (sixth >> 5);
    return bytes > 7 ? bytes : null;
  }
  if (stream === 'loas') return (((second & 0x1f) << 8) | third) + 3;
  const version = (second >> 3) & 0b11;
  const layer = 4 - ((second >> 1) & 0b11);
  const isFirst = version === 0b11;
  const rates = isFirst ? bitRates.first[layer - 1] : bitRates.second[layer === 1 ? 0 : 1];
  const [kilobits, samplesASecond] = [rates?.[(third >> 4) - 1], mpegSampleRate(second, third)];
  if (kilobits === undefined || samplesASecond === null) return null;
  const padding = (third >> 1) & 1;
  if (layer === 1) return (Math.floor((12 * kilobits * 1000) / samplesASecond) + padding) * 4;
  const eighthsOfSamples = layer === 3 && !isFirst ? 72 : 144;
  return Math.floor((eighthsOfSamples * kilobits * 1000) / samplesASecond) + padding;
}

/** Whether consecutive frames of one stream begin at an offset. */
function beginsStream(head: Uint8Array, from: number, stream: FrameStream): boolean {
  let at = from;
  for (let frames = 0; frames < framesInARow; frames++) {
    if (syncAt(head, at) !== stream) return false;
    const bytes = frameBytes(head, at, stream);
    if (bytes === null) return false;
    at += bytes;
  }
  return true;
}

/**
 * The stream that begins somewhere after an offset: a file that was cut, or recorded from a broadcast, begins within a
 * frame. Null if there is none.
 */
export function streamAfter(head: Uint8Array, from: number): FrameStream | null {
  for (let at = from; at < head.length; at++) {
    const stream = syncAt(head, at);
    if (stream !== null && beginsStream(head, at, stream)) return stream;
  }
  return null;
}

/**
 * Channels of the MP3 or AAC frame whose header is at an offset (ISO/IEC 11172-3, 2.4.2.3; 13818-7, 6.2); null if
 * unknown.
 */
export function channelsAt(head: Uint8Array, at: number): number | null {
  const stream = syncAt(head, at);
  const [third = 0, fourth = 0] = head.subarray(at + 2, at + 4);
  if (stream === 'mp3') return fourth >> 6 === 0b11 ? 1 : 2;
  if (stream !== 'aac') return null;
  const arrangement = ((third & 1) << 2) | (fourth >> 6);
  return arrangement === 0 ? null : arrangement === 7 ? 8 : arrangement;
}
