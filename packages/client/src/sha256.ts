/** The round constants of SHA-256: first 32 bits of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
const constants = firstPrimes(64).map((prime) => fraction(Math.cbrt(prime)));

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  return primes;
}

function fraction(root: number): number {
  return ((root % 1) * 2 ** 32) >>> 0;
}

/**
 * A SHA-256 that takes its input in pieces, which the Web Crypto API of browsers does not. FIPS 180-4, 6.2.
 */
export class Sha256 {
  private readonly state = Uint32Array.from(firstPrimes(8), (prime) => fraction(Math.sqrt(prime)));
  private readonly words = new Uint32Array(64);
  private readonly block = new Uint8Array(64);
  private filled = 0;
  private length = 0;

  /** Adds bytes. */
  update(bytes: Uint8Array): this {
    this.length += bytes.length;
    for (let at = 0; at < bytes.length;) {
      const count = Math.min(64 - this.filled, bytes.length - at);
      this.block.set(bytes.subarray(at, at + count), this.filled);
      this.filled += count;
      at += count;
      if (this.filled === 64) this.compress();
    }
    return this;
  }

  /** The digest in hexadecimal digits. Nothing may be added afterwards. */
  hex(): string {
    const bits = this.length * 8;
    this.update(Uint8Array.of(0x80));
    while (this.filled !== 56) this.update(Uint8Array.of(0));
    const size = new Uint8Array(8);
    const view = new DataView(size.buffer);
    view.setUint32(0, Math.floor(bits / 2 ** 32));
    view.setUint32(4, bits >>> 0);
    this.update(size);
    return Array.from(this.state, (word) => word.toString(16).padStart(8, '0')).join('');
  }

  private compress(): void {
    const { words, state } = this;
    const view = new DataView(this.block.buffer);
    const word = (at: number): number => words[at] ?? 0;
    for (let at = 0; at < 16; at += 1) words[at] = view.getUint32(at * 4);
    for (let at = 16; at < 64; at += 1) {
      const [early, late] = [word(at - 15), word(at - 2)];
      const small0 = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
      const small1 = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
      words[at] = word(at - 16) + small0 + word(at - 7) + small1;
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let at = 0; at < 64; at += 1) {
      const big1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
      const one = (h + big1 + ((e & f) ^ (~e & g)) + (constants[at] ?? 0) + word(at)) | 0;
      const big0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
      const two = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    const sums = [a, b, c, d, e, f, g, h];
    for (const [at, sum] of sums.entries()) state[at] = (state[at] ?? 0) + sum;
    this.filled = 0;
  }
}

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The SHA-256 of a blob, which is read piece by piece. @throws what reading throws, and the reason of the signal */
export async function sha256Of(blob: Blob, signal?: AbortSignal): Promise<string> {
  const hash = new Sha256();
  const reader: ReadableStreamDefaultReader<Uint8Array> = blob.stream().getReader();
  for (;;) {
    signal?.throwIfAborted();
    const { done, value } = await reader.read();
    if (done) return hash.hex();
    hash.update(value);
  }
}
