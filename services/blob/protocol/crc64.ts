import { Crc64Nvme } from '../../../mixins/storage/crc.ts';
import { Fault } from './faults.ts';

/** The CRC64 of bytes as they pass: that of NVMe, whose bytes the protocol writes the lowest first. */
export class PassingCrc64 {
  readonly #running = new Crc64Nvme();

  update(piece: Uint8Array): void {
    this.#running.update(piece);
  }

  /** The pieces of a body. The end throws where they have not the declared CRC64. @throws Fault `Crc64Mismatch` */
  async *pass(pieces: AsyncIterable<Uint8Array>, declared: string | null): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.update(piece);
      yield piece;
    }
    if (declared !== null && declared !== this.value()) throw new Fault('Crc64Mismatch');
  }

  /** Base64. */
  value(): string {
    return this.#running.digest().reverse().toString('base64');
  }
}
