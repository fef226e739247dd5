import type { Me } from './me.ts';

/**
 * The address at which this browser reads a link to a file: as it is, or over HTTP at the port of the edge where the
 * deployment has no TLS, as on a single machine.
 */
export function reachable(link: string, plain: Me['plainDelivery']): string {
  if (plain === null || !URL.canParse(link)) return link;
  const url = new URL(link);
  if (!url.hostname.endsWith(`.${plain.domain}`)) return link;
  url.protocol = 'http:';
  url.port = String(plain.port);
  return url.href;
}
