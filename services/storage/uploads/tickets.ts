import type { Sealer } from '../../../mixins/sealing.ts';
import { Refusal } from '../../../models/errors.ts';

/** How long a ticket lasts, in milliseconds. */
export const ticketTtlMs = 24 * 3_600_000;

const purpose = 'upload ticket';
const idBytes = 16;
const timeBytes = 8;
const markBytes = 24;
/** 48 bytes in base64url: no bit is left over, so each ticket has one spelling. */
const ticketShape = /^[A-Za-z0-9_-]{64}$/;

/** What a ticket says: which upload its bearer may send parts to, and until when. */
export interface Ticket {
  uploadId: string;
  /** Milliseconds. */
  expiresAt: number;
}

function signedText({ uploadId, expiresAt }: Ticket): string {
  return `${uploadId}\n${expiresAt}`;
}

/** The ticket of an upload: its id, its expiry, and the first 24 bytes of an HMAC-SHA256 over both. */
export function makeTicket(sealer: Pick<Sealer, 'mark'>, ticket: Ticket): string {
  const bytes = Buffer.alloc(idBytes + timeBytes);
  bytes.write(ticket.uploadId.replaceAll('-', ''), 'hex');
  bytes.writeBigUInt64BE(BigInt(ticket.expiresAt), idBytes);
  const mark = sealer.mark(signedText(ticket), purpose).subarray(0, markBytes);
  return Buffer.concat([bytes, mark]).toString('base64url');
}

/** Reads a ticket as it was sent. @throws Refusal `ticket_invalid`, `ticket_expired` */
export function readTicket(sealer: Pick<Sealer, 'keyOfMark'>, sent: string, now: number): Ticket {
  if (!ticketShape.test(sent)) throw new Refusal('ticket_invalid');
  const bytes = Buffer.from(sent, 'base64url');
  const id = bytes.toString('hex', 0, idBytes);
  const ticket = {
    uploadId: [id.slice(0, 8), id.slice(8, 12), id.slice(12, 16), id.slice(16, 20), id.slice(20)].join('-'),
    expiresAt: Number(bytes.readBigUInt64BE(idBytes)),
  };
  const mark = bytes.subarray(idBytes + timeBytes);
  if (sealer.keyOfMark(mark, signedText(ticket), purpose) === null) throw new Refusal('ticket_invalid');
  if (ticket.expiresAt <= now) throw new Refusal('ticket_expired');
  return ticket;
}
