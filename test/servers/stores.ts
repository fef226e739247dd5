import { installAzurite } from './azurite.ts';
import { installPebble } from './pebble.ts';
import { installGateway, installMoto } from './s3.ts';

/** Installers of the object stores and of the certificate authority; each returns why it is not available, or null. */
export const storeInstallers: Readonly<Record<string, () => Promise<string | null>>> = {
  moto: installMoto,
  versitygw: installGateway,
  azurite: installAzurite,
  pebble: installPebble,
};
