/**
 * The port of connectors' sources: the operations on a customer's storage that syncs and reads of files need. An
 * adapter implements one protocol with the guarded client that it is given, and stores nothing.
 */

/** A listed file. */
export interface SourceEntry {
  /** `s3:<host>/<bucket>/<key>`, `azure:<host>/<container>/<name>`, `canvas:<host>/<course id>/<file id>`. */
  externalId: string;
  filename: string;
  /** Without credentials. */
  sourceUrl: string;
  /** ETag with its quotes; for a source without ETags a text that changes with the content. */
  sourceVersion: string;
  bytes: number;
  /** Equal for files of equal content within the source; null if the source does not provide it. */
  contentId: string | null;
  /** Who may see it, where the source provides it (Canvas); null if the connector's mode decides. */
  principals: string[] | null;
}

/**
 * A part of the source that could not be listed: files whose externalId has this prefix count neither as present nor as
 * missing.
 */
export interface SourceGap {
  prefix: string;
  errorCode: string;
}

/** A page of a listing. */
export interface SourcePage {
  /** In ascending order of the externalIds' UTF-8 bytes, also across pages. */
  entries: SourceEntry[];
  gaps: SourceGap[];
  /** The cursor of the next page; null after the last. It stays valid for days and contains no secret. */
  next: string | null;
}

/** The address at which a file can be read now. */
export interface ReadableAddress {
  /** With credentials: a secret, valid for some minutes. */
  address: string;
  /** Whether to follow redirects (each target is checked like the first). */
  redirects: boolean;
  /** Whether the version was checked with the address, so that the ETag of the read is not compared. */
  verified: boolean;
}

/**
 * Why a request to a source failed. `temporary`: retry later. `credential`: the source refuses the credential.
 * `absent`: the bucket, course or file does not exist. `refused`: the answer is not usable, or the address is not
 * allowed. `changed`: the file does not have the requested version. Callers check `name` and `reason`.
 */
export class SourceError extends Error {
  readonly reason: 'temporary' | 'credential' | 'absent' | 'refused' | 'changed';
  constructor(reason: SourceError['reason'], message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'SourceError';
    this.reason = reason;
  }
}

/** Sends requests to the source: the part of the guarded client that adapters use. No other client may be passed. */
export interface SourceClient {
  request(
    url: string | URL,
    options: {
      method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'OPTIONS';
      headers?: Readonly<Record<string, string>>;
      body?: string | Uint8Array;
      maxBytes: number;
      signal?: AbortSignal;
    },
  ): Promise<{ status: number; header(name: string): string | null; body: AsyncIterable<Uint8Array>; discard(): void }>;
}

/** A connector's source. */
export interface Source {
  /** Lists one page, with at most a page in memory. @throws SourceError, or the signal's reason */
  list(cursor: string | null, signal: AbortSignal): Promise<SourcePage>;
  /** The address of a file. @throws SourceError */
  addressOf(
    file: { externalId: string; sourceUrl: string; sourceVersion: string },
    signal: AbortSignal,
  ): Promise<ReadableAddress>;
  close(): Promise<void>;
}
