import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { Reader, type CountryResponse } from 'mmdb-lib';
import type { Configuration } from '../../models/configuration/configuration.ts';
import { countryCodes } from '../../models/countries.ts';
import { trustedAddresses } from '../../mixins/http/api/sender-address.ts';

/** The country that a request comes from (ISO 3166-1 alpha-2, or `XK`); null if it is unknown. */
export type CountryOf = (request: CountryRequest, address: string) => string | null;

/** What of a request says where it comes from. */
export interface CountryRequest {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string | undefined };
}

const known: ReadonlySet<string> = new Set(countryCodes);
/** Addresses whose countries are kept. */
const maxKept = 20_000;

/**
 * Opens the look-up of countries: a header of trusted proxies, else the database of addresses (MaxMind DB format 2.0).
 * @throws Error that names the variable where the file is not usable
 */
export async function openCountries({
  PLY_COUNTRY_HEADER: header,
  PLY_GEOIP_FILE: path,
  PLY_TRUSTED_PROXIES: proxies,
}: Pick<Configuration, 'PLY_COUNTRY_HEADER' | 'PLY_GEOIP_FILE' | 'PLY_TRUSTED_PROXIES'>): Promise<CountryOf> {
  const isTrusted = trustedAddresses(proxies);
  const name = header?.toLowerCase() ?? null;
  const byAddress = path === null ? () => null : await openDatabase(path);
  return ({ headers, socket }, address) => {
    const sent = name === null ? undefined : headers[name];
    if (typeof sent === 'string' && isTrusted(socket.remoteAddress ?? '')) {
      const code = sent.trim().toUpperCase();
      if (known.has(code)) return code;
    }
    return byAddress(address);
  };
}

async function openDatabase(path: string): Promise<(address: string) => string | null> {
  try {
    const reader = new Reader<CountryResponse>(await readFile(path));
    const kept = new LRUCache<string, { country: string | null }>({ max: maxKept });
    return (address) => {
      const found = kept.get(address);
      if (found !== undefined) return found.country;
      const country = lookUp(reader, address);
      kept.set(address, { country });
      return country;
    };
  } catch (error) {
    throw new Error(`PLY_GEOIP_FILE: ${path} is no MaxMind DB file that can be read`, { cause: error });
  }
}

function lookUp(reader: Reader<CountryResponse>, address: string): string | null {
  try {
    const code = reader.get(address)?.country?.iso_code;
    return code !== undefined && known.has(code) ? code : null;
  } catch {
    // An IPv6 address and a database of IPv4 addresses alone.
    return null;
  }
}
