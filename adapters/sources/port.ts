/**
 * The port of connectors' sources: what a sync and the reading of a file ask of a customer's storage. An adapter speaks
 * one protocol, through the guarded client that it is handed; it keeps nothing.
 */

/** A file as its source lists it. */
export interface SourceEntry {
  /** `s3:<host>/<bucket>/<key>`, `azure:<host>/<container>/<name>`, `canvas:<host>/<course id>/<file id>`. */
  externalId: string;
  filename: string;
  /** Without credentials. */
  sourceUrl: string;
  /** ETag with its quotes; for a source without ETags what changes when the content does. */
  sourceVersion: string;
  bytes: number;
  /** Equal for files of equal content within the source; null where the source does not tell. */
  contentId: string | null;
  /** Who may see it, where the source knows (Canvas); null where the connector's mode decides. */
  principals: string[] | null;
}

/** A part of the source that could not be listed this time: files whose externalId begins so are neither there nor gone. */
export interface SourceGap {
  prefix: string;
  errorCode: string;
}

/** A page of a listing. */
export interface SourcePage {
  /** In ascending order of their externalId's UTF-8 bytes, also from page to page. */
  entries: SourceEntry[];
  gaps: SourceGap[];
  /** Where the next page begins; null after the last. It may be kept for days, and holds no secret. */
  next: string | null;
}

/** Where a file can be read now. */
export interface ReadableAddress {
  /** With credentials: a secret, valid for some minutes. */
  address: string;
  /** Whether redirects are part of the source's way (then each target is checked like the first). */
  redirects: boolean;
  /** Whether the version was checked while the address was made, so that no ETag of the read is to be compared. */
  verified: boolean;
}

/**
 * Why a source could not be asked. `temporary`: try again later; `credential`: the source refuses the credential;
 * `absent`: the bucket, course or file is not there; `refused`: what the source answers is not usable, or its address is
 * not allowed; `changed`: the file is not the version that was asked for. Decide by `name` and `reason`.
 */
export class SourceError extends Error {
  readonly reason: 'temporary' | 'credential' | 'absent' | 'refused' | 'changed';
  constructor(reason: SourceError['reason'], message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'SourceError';
    this.reason = reason;
  }
}

/** One request to the source; the shape of the guarded client, which is the only one that may be handed in. */
export interface SourceClient {
  request(
    url: string | URL,
    options: { method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'OPTIONS'; headers?: Readonly<Record<string, string>>; body?: string | Uint8Array; maxBytes: number; signal?: AbortSignal },
  ): Promise<{ status: number; header(name: string): string | null; body: AsyncIterable<Uint8Array>; discard(): void }>;
}

/** A connector's source. */
export interface Source {
  /** Lists one page. Memory is bounded by a page. @throws SourceError, or what aborts the signal */
  list(cursor: string | null, signal: AbortSignal): Promise<SourcePage>;
  /** Where a file is to be read. @throws SourceError */
  addressOf(file: { externalId: string; sourceUrl: string; sourceVersion: string }, signal: AbortSignal): Promise<ReadableAddress>;
  close(): Promise<void>;
}
