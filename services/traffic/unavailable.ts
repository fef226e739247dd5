import { Refusal } from '../../models/errors.ts';

/** Seconds after which a client may ask for figures again. */
const retryAfter = 5;

/** Reads figures; where the store is away, they are what is unavailable. @throws Refusal `analytics_unavailable` */
export async function figures<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && error.name === 'StoreUnavailable')
      throw new Refusal('analytics_unavailable', { retryable: true, retryAfter });
    throw error;
  }
}
