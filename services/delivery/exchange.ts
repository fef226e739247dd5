import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DeliveryTarget } from '../../models/links/target.ts';
import type { Site } from './sites.ts';

/** One request to an edge, and what its answer came to. */
export interface Delivery {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  /** Address of the client. */
  readonly address: string;
  /** The raw request target. */
  readonly target: string;
  /** Null where no object can have the path, and before it was read. */
  path: DeliveryTarget | null;
  /** Null before it is known, and for unknown hosts. */
  site: Site | null;
  status: number;
  /** Bytes of the body that the connection has taken. */
  bytes: number;
  /** Null where no copy was looked for. */
  cache: 'hit' | 'miss' | null;
  isLinkValid: boolean;
  /** The query of a link to a directory, which playlists pass on to the files they name; null for other requests. */
  passedQuery: string | null;
}

/** What follows the first question mark of a target; empty where there is none. */
export function queryOf(target: string): string {
  const mark = target.indexOf('?');
  return mark < 0 ? '' : target.slice(mark + 1);
}
