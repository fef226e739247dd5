import fc from 'fast-check';
import { samplesOf, wavOf } from './wav.ts';

/** Builds a WAV file from chunks by name and content. */
function riff(...chunks: [string, Uint8Array, number?][]): Uint8Array {
  const parts = chunks.map(([name, content, declared]) => {
    const head = Buffer.alloc(8);
    head.write(name, 'latin1');
    head.writeUInt32LE(declared ?? content.length, 4);
    return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
  });
  return Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'), ...parts]);
}

function format(channels: number, rate: number, bits: number, tag = 1): Uint8Array {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16LE(tag, 0);
  bytes.writeUInt16LE(channels, 2);
  bytes.writeUInt32LE(rate, 4);
  bytes.writeUInt16LE(bits, 14);
  return bytes;
}

const speech = format(1, 16_000, 16);

describe('WAV files', () => {
  it('return the samples that they were created from', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const samples = bytes.subarray(0, bytes.length - (bytes.length % 2));
        expect(Buffer.from(samplesOf(wavOf(samples)))).toEqual(Buffer.from(samples));
      }),
    );
  });

  it('may contain other chunks before their samples, and unknown lengths', () => {
    expect([
      ...samplesOf(riff(['LIST', Buffer.from('abc')], ['fmt ', speech], ['data', Buffer.from([1, 2, 3, 4])])),
    ]).toEqual([1, 2, 3, 4]);
    expect([...samplesOf(riff(['fmt ', speech], ['data', Buffer.from([1, 2, 3, 4]), 0xffffffff]))]).toEqual([
      1, 2, 3, 4,
    ]);
  });

  it.each<[string, Uint8Array]>([
    ['other bytes', Buffer.from('nothing of the kind')],
    ['nothing', Buffer.alloc(0)],
    ['two channels', riff(['fmt ', format(2, 16_000, 16)], ['data', Buffer.alloc(4)])],
    ['another rate', riff(['fmt ', format(1, 44_100, 16)], ['data', Buffer.alloc(4)])],
    ['8 bits', riff(['fmt ', format(1, 16_000, 8)], ['data', Buffer.alloc(4)])],
    ['a compressed format', riff(['fmt ', format(1, 16_000, 16, 85)], ['data', Buffer.alloc(4)])],
    ['no samples', riff(['fmt ', speech])],
    ['samples before their format', riff(['data', Buffer.alloc(4)], ['fmt ', speech])],
  ])('are refused: %s', (_, wav) => {
    expect(() => samplesOf(wav)).toThrow(/sound/);
  });

  it('that are damaged return samples or throw', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ at: fc.nat(51), value: fc.nat(255) }), { maxLength: 10 }),
        fc.nat(52),
        (changes, length) => {
          const wav = Uint8Array.from(wavOf(new Uint8Array(8))).slice(0, length);
          for (const { at, value } of changes) if (at < wav.length) wav[at] = value;
          let bytes = 0;
          try {
            bytes = samplesOf(wav).length;
          } catch (error) {
            expect(String(error)).toMatch(/sound/);
          }
          expect(bytes).toBeLessThanOrEqual(wav.length);
        },
      ),
      { numRuns: 500 },
    );
  });
});
