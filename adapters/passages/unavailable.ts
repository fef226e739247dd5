/** The passage index does not respond in time. The work may be retried. Identify it by `name`. */
export class StoreUnavailable extends Error {
  constructor(message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'StoreUnavailable';
  }
}
