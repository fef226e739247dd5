import { timingSafeEqual } from 'node:crypto';
import type { House } from '../../mixins/house.ts';
import { notificationsPath } from '../../models/connector.ts';

const purpose = 'connector notifications';
const idBytes = 16;
const markBytes = 16;

function markOf({ sealer }: Pick<House, 'sealer'>, id: string): Buffer {
  return sealer.mark(id, purpose).subarray(0, markBytes);
}

/**
 * The last segment of a connector's notification address: its id and 128 bits of a mark that only this deployment's key
 * makes, 32 bytes as 43 characters of base64url. So nothing is stored that could be read from the records and used.
 */
export function notificationToken(house: Pick<House, 'sealer'>, connectorId: string): string {
  return Buffer.concat([Buffer.from(connectorId.replaceAll('-', ''), 'hex'), markOf(house, connectorId)]).toString('base64url');
}

/** The connector that a token is for; null where it was altered. */
export function connectorOfToken(house: Pick<House, 'sealer'>, token: string): string | null {
  const bytes = Buffer.from(token, 'base64url');
  // The last character has bits to spare: only one spelling of the bytes is taken.
  if (bytes.byteLength !== idBytes + markBytes || bytes.toString('base64url') !== token) return null;
  const hex = bytes.toString('hex', 0, idBytes);
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  return timingSafeEqual(bytes.subarray(idBytes), markOf(house, id)) ? id : null;
}

/** The address that storage events are sent to; null where the deployment has no public address. */
export function notifyUrl(house: Pick<House, 'sealer' | 'configuration'>, connectorId: string): string | null {
  const base = house.configuration.PLY_PUBLIC_URL;
  return base === null ? null : `${base}${notificationsPath}/${notificationToken(house, connectorId)}`;
}
