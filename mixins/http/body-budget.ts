import { Refusal } from '../../models/errors.ts';

/**
 * How much of the large bodies of requests a process holds in memory at once. The first bytes of each body are free,
 * so that those who send large ones slowly cannot keep others from sending small ones.
 */
export class BodyBudget {
  private readonly mostBytes: number;
  private readonly freeBytes: number;
  private held = 0;

  /** @param mostBytes of all bodies together, without the first `freeBytes` of each */
  constructor(mostBytes: number, freeBytes: number) {
    this.mostBytes = mostBytes;
    this.freeBytes = freeBytes;
  }

  /** A body grows from so many bytes to more. @throws Refusal `content_service_unavailable` where too much is held already */
  grow(from: number, to: number): void {
    const more = this.counted(to) - this.counted(from);
    if (more > 0 && this.held + more > this.mostBytes) throw new Refusal('content_service_unavailable', { detail: 'Too many large requests at once; try again in a moment.', retryable: true, retryAfter: 1 });
    this.held += more;
  }

  /** A body that grew to so many bytes is not needed any more. */
  release(bytes: number): void {
    this.held -= this.counted(bytes);
  }

  private counted(bytes: number): number {
    return Math.max(0, bytes - this.freeBytes);
  }
}
