import { installAzurite } from './azurite.ts';
import { installGateway, installMoto } from './s3.ts';

/** Installs the stores of objects that tests run against; each answers why it cannot be had, or null. */
export const storeInstallers: Readonly<Record<string, () => Promise<string | null>>> = {
  moto: installMoto,
  versitygw: installGateway,
  azurite: installAzurite,
};
