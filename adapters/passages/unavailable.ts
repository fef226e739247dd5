/** The passage index does not answer, or not in time. The work may be tried again. Decide by `name`. */
export class StoreUnavailable extends Error {
  constructor(message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'StoreUnavailable';
  }
}
