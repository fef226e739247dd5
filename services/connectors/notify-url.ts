import type { AppContext } from '../../mixins/app-context.ts';
import type { SealingKey } from '../../mixins/sealing.ts';
import { notificationsPath } from '../../models/connector.ts';

const purpose = 'connector notifications';
const idBytes = 16;
const macBytes = 16;

/**
 * The last segment of a connector's notification address: its id and 128 bits of a MAC with the deployment's key, 32
 * bytes as 43 characters of base64url. It is not stored, so that the records do not contain usable addresses.
 */
export function notificationToken(app: Pick<AppContext, 'sealer'>, connectorId: string): string {
  return Buffer.concat([
    Buffer.from(connectorId.replaceAll('-', ''), 'hex'),
    app.sealer.mark(connectorId, purpose).subarray(0, macBytes),
  ]).toString('base64url');
}

/**
 * The connector of a token, and the key that signed it: tokens of former keys stay valid. Null where the token is not
 * authentic.
 */
export function connectorOfToken(
  app: Pick<AppContext, 'sealer'>,
  token: string,
): { id: string; key: SealingKey } | null {
  const bytes = Buffer.from(token, 'base64url');
  // The last character has unused bits: only the canonical encoding is accepted.
  if (bytes.byteLength !== idBytes + macBytes || bytes.toString('base64url') !== token) return null;
  const hex = bytes.toString('hex', 0, idBytes);
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  const key = app.sealer.keyOfMark(bytes.subarray(idBytes), id, purpose);
  return key === null ? null : { id, key };
}

/** The address that storage events are sent to; null where the deployment has no public address. */
export function notifyUrl(app: Pick<AppContext, 'sealer' | 'configuration'>, connectorId: string): string | null {
  const base = app.configuration.PLY_PUBLIC_URL;
  return base === null ? null : `${base}${notificationsPath}/${notificationToken(app, connectorId)}`;
}
