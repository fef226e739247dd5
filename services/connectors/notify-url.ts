import type { House } from '../../mixins/house.ts';
import type { SealingKey } from '../../mixins/sealing.ts';
import { notificationsPath } from '../../models/connector.ts';

const purpose = 'connector notifications';
const idBytes = 16;
const markBytes = 16;

/**
 * The last segment of a connector's notification address: its id and 128 bits of a mark that only this deployment's key
 * makes, 32 bytes as 43 characters of base64url. So nothing is stored that could be read from the records and used.
 */
export function notificationToken(house: Pick<House, 'sealer'>, connectorId: string): string {
  return Buffer.concat([Buffer.from(connectorId.replaceAll('-', ''), 'hex'), house.sealer.mark(connectorId, purpose).subarray(0, markBytes)]).toString('base64url');
}

/** The connector that a token is for, and the key that made it: one that was made before keys were changed stays good. Null where it was altered. */
export function connectorOfToken(house: Pick<House, 'sealer'>, token: string): { id: string; key: SealingKey } | null {
  const bytes = Buffer.from(token, 'base64url');
  // The last character has bits to spare: only one spelling of the bytes is taken.
  if (bytes.byteLength !== idBytes + markBytes || bytes.toString('base64url') !== token) return null;
  const hex = bytes.toString('hex', 0, idBytes);
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  const key = house.sealer.keyOfMark(bytes.subarray(idBytes), id, purpose);
  return key === null ? null : { id, key };
}

/** The address that storage events are sent to; null where the deployment has no public address. */
export function notifyUrl(house: Pick<House, 'sealer' | 'configuration'>, connectorId: string): string | null {
  const base = house.configuration.PLY_PUBLIC_URL;
  return base === null ? null : `${base}${notificationsPath}/${notificationToken(house, connectorId)}`;
}
