import type { ErrorCode } from '../../models/errors.ts';
import { failureOf } from '../http/api/failures.ts';

/** What a fault says besides its code. */
export interface FaultDetails {
  /** In place of the message of the code. */
  message?: string;
  /** Further elements of the body, by name. */
  elements?: { readonly [name: string]: string };
  headers?: { readonly [name: string]: string };
  /** In place of the status of the code, such as 304. */
  status?: number;
}

/** The error codes of a protocol, with their statuses and messages. */
export type FaultTable = { readonly [code: string]: readonly [status: number, message: string] };

/** An error that is answered in the form of a door's protocol. */
export class DoorFault<C extends string> extends Error {
  readonly code: C;
  readonly status: number;
  readonly details: FaultDetails;

  constructor(name: string, code: C, [status, message]: FaultTable[string], details: FaultDetails) {
    super(details.message ?? message);
    this.name = name;
    this.code = code;
    this.status = details.status ?? status;
    this.details = details;
  }
}

/** How a protocol says what errors come to, by the code of the refusal or else by its status. */
export interface Translation<C extends string> {
  readonly codes: { readonly [E in ErrorCode]?: C };
  /** 400 and the like, 403, 404, 409. */
  readonly invalid: C;
  readonly denied: C;
  readonly absent: C;
  readonly conflict: C;
  /** The request may be sent again later. */
  readonly busy: C;
  /** The body has another length than was announced. */
  readonly wrongLength: C;
}

/** The headers that say after how many seconds a request may be sent again. */
export function retryAfterHeaders(seconds: number): { 'Retry-After': string } {
  return { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) };
}

function codeOfStatus<C extends string>(status: number, translation: Translation<C>): C {
  if (status === 429 || status === 503) return translation.busy;
  if (status === 401 || status === 403) return translation.denied;
  if (status === 404 || status === 410) return translation.absent;
  return status === 409 ? translation.conflict : translation.invalid;
}

/**
 * What an error that no operation of a door has foreseen is answered with: refusals of the engine of objects, and what is
 * away for a time. Null for a failure of the service itself.
 */
export function translated<C extends string>(
  error: unknown,
  translation: Translation<C>,
): { code: C; details: FaultDetails } | null {
  if (error instanceof Error && error.name === 'WrongLength') return { code: translation.wrongLength, details: {} };
  const { status, type, data } = failureOf(error);
  if (type === 'internal_error') return null;
  const code = translation.codes[type] ?? codeOfStatus(status, translation);
  const isTemporary = code === translation.busy || data.retryable === true;
  const retryAfter = data.retryAfter ?? (isTemporary ? 1 : null);
  return {
    code,
    details: {
      ...(data.detail === undefined ? {} : { message: data.detail }),
      ...(retryAfter === null ? {} : { headers: retryAfterHeaders(retryAfter) }),
    },
  };
}
