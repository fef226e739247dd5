/** Where files are delivered on a single machine (the default of PLY_DELIVERY_PORT). */
const localPort = '3001';

/**
 * The address at which this page reaches a delivery link. On a single machine nothing ends TLS for the hostnames under
 * `localhost`: where the page itself is plain HTTP, links to them are too, at the delivery port.
 */
export function reachable(link: string, page: Pick<Location, 'protocol'> = location): string {
  const url = new URL(link);
  if (page.protocol !== 'http:' || !url.hostname.endsWith('.localhost')) return link;
  url.protocol = 'http:';
  url.port = localPort;
  return url.href;
}
