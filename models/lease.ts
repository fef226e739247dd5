/**
 * The right of one process to work on a document for a while, kept in the document itself. The token of a lease is one
 * higher than that of the lease before, and every write of the holder is conditional on it: a process that was paused
 * for longer than its lease changes nothing when it continues (a fencing token: M. Kleppmann, "How to do distributed
 * locking", 2016).
 */
export interface Lease {
  token: number;
  /** Node id of the holder. */
  owner: string;
  /** Store time in milliseconds at which it expires. */
  until: number;
}

/** How long a lease lasts unless it is renewed, in milliseconds. Holders renew it every third of that time. */
export const leaseDurationMs = 30_000;

/** Field values by dotted path, as conditions or as what a write sets. */
export interface FieldValues {
  readonly [path: string]: string | number | object | null;
}

/** How documents of a type keep their lease. */
export interface LeaseFields<T> {
  /** Path of the token. */
  readonly token: string;
  /** Token of the latest lease (null if the field is absent), and when it expires (null: it is given back). */
  read(document: T): { token: number | null; until: number | null };
  /** The fields that a lease is kept in. */
  write(lease: Lease): FieldValues;
}

/** A lease that is about to be taken: it is held once a write of `set` that is conditional on `filter` has matched. */
export interface LeaseClaim {
  lease: Lease;
  filter: { readonly [path: string]: number | null };
  set: FieldValues;
}

/** Claims the next lease of a document as it was read, whatever the latest one says. */
export function nextLease<T>(
  fields: LeaseFields<T>,
  document: T,
  { owner, now, durationMs = leaseDurationMs }: { owner: string; now: number; durationMs?: number },
): LeaseClaim {
  const { token } = fields.read(document);
  const lease: Lease = { token: (token ?? 0) + 1, owner, until: now + durationMs };
  return { lease, filter: { [fields.token]: token }, set: fields.write(lease) };
}

/** Claims the lease of a document as it was read. Returns null while another process holds it. */
export function claimLease<T>(
  fields: LeaseFields<T>,
  document: T,
  terms: { owner: string; now: number; durationMs?: number },
): LeaseClaim | null {
  const { until } = fields.read(document);
  return until !== null && until > terms.now ? null : nextLease(fields, document, terms);
}

/** The condition of every write under a lease. */
export function underLease<T>({ token: path }: LeaseFields<T>, { token }: Pick<Lease, 'token'>): LeaseClaim['filter'] {
  return { [path]: token };
}
