import { address, dnsServerList, domain, headerName, integer, optional, text, variable } from './variables.ts';

/** The variables of delivery and of what belongs to it, in the order of the documentation. */
export const deliveryVariables = {
  PLY_DELIVERY_TLS_PORT: variable(
    optional(integer(0, 65535)),
    null,
    'Port that files of buckets are delivered at over TLS, with the certificates of custom domains. If unset, edges speak plain HTTP only.',
  ),
  PLY_DELIVERY_TLS_CERTIFICATE: variable(
    optional(text()),
    null,
    'PEM file with the certificate for the hostnames under `PLY_DELIVERY_DOMAIN`, and its chain. It is read again every ten minutes.',
  ),
  PLY_DELIVERY_TLS_KEY: variable(optional(text()), null, 'PEM file with the private key of that certificate.'),
  PLY_DELIVERY_DOMAIN: variable(
    domain,
    'localhost',
    'Domain under which each bucket has its hostname: `<bucket name>.<domain>`.',
  ),
  PLY_EDGE_MEMORY_MB: variable(
    integer(1, 65_536),
    128,
    'Memory of a delivery process for files of up to 1 MiB, in MB. Larger files are read from the store.',
  ),
  PLY_GEOIP_FILE: variable(
    optional(text()),
    null,
    'MaxMind DB file with the countries of addresses, for delivery by country. Without it and PLY_COUNTRY_HEADER, countries are unknown.',
  ),
  PLY_COUNTRY_HEADER: variable(
    optional(headerName),
    null,
    'Header in which the proxies of PLY_TRUSTED_PROXIES send the country of the client. Without it, PLY_GEOIP_FILE decides.',
  ),
  PLY_TRAFFIC_SPOOL_MB: variable(
    integer(1, 1_048_576),
    1024,
    'Disk space in MB for traffic that the ledger has not acknowledged, and for the usage of each door. Responses beyond it are not counted.',
  ),
  PLY_DNS_SERVERS: variable(
    dnsServerList,
    [],
    'DNS servers that the records of custom domains are looked up with: `ip[:port]`, IPv6 addresses in brackets.',
    "the system's",
  ),
  PLY_ACME_DIRECTORY: variable(
    optional(address('http', 'https')),
    null,
    'Directory of the ACME server (RFC 8555) that issues certificates of custom domains. If unset, a proxy in front of the edges ends TLS and has the certificates.',
  ),
  PLY_ACME_EMAIL: variable(optional(text(254)), null, 'E-mail address that the ACME server gets with the account.'),
  PLY_ACME_EAB_KEY_ID: variable(
    optional(text(1000)),
    null,
    'Key id of the external account that the ACME server binds the account to (RFC 8555, 7.3.4), where it asks for one.',
  ),
  PLY_ACME_EAB_HMAC_KEY: variable(
    optional(text(1000)),
    null,
    'Key of that external account, as the ACME server gives it: base64url. Needed with PLY_ACME_EAB_KEY_ID.',
  ),
  PLY_ACME_CAA: variable(
    optional(domain),
    null,
    'Domain name of the ACME server in CAA records. If unset, what its directory says.',
  ),
};
