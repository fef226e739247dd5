import type { Output } from './types.ts';

/** What a link may have besides its key: an address that it is bound to, and tags. */
export interface LinkOptions {
  /** IPv4 address. */
  ip?: string;
  tags?: { readonly [name: string]: string };
}

/**
 * Signs a link to a file without asking the program, as docs/signing.md describes. For servers: whoever has the profile
 * can sign links to every file of the bucket.
 * @param profile what `readSigningProfile` answers
 * @param expires Unix time in seconds
 */
export async function signLink(
  profile: Pick<Output<'readSigningProfile'>, 'scheme' | 'keyId' | 'key' | 'hostname'>,
  key: string,
  expires: number,
  { ip, tags = {} }: LinkOptions = {},
): Promise<string> {
  const path = `/${encoded(key)}`;
  const fields = [
    `expires=${expires}`,
    `kid=${profile.keyId}`,
    ...(ip === undefined ? [] : [`ip=${ip}`]),
    ...Object.entries(tags)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => `tag.${name}=${encoded(value)}`),
  ];
  const query = fields.join('&');
  const secret = Uint8Array.from(atob(profile.key.replaceAll('-', '+').replaceAll('_', '/')), code);
  const hmac = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const text = new TextEncoder().encode(`${profile.scheme}\n${path}\n${query}`);
  const token = new Uint8Array(await crypto.subtle.sign('HMAC', hmac, text));
  const base64 = btoa(String.fromCharCode(...token));
  return `https://${profile.hostname}${path}?${query}&token=${base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

function code(character: string): number {
  return character.charCodeAt(0);
}

/** Each segment in percent-encoding, with only the unreserved characters of RFC 3986 as they are. */
function encoded(text: string): string {
  return text
    .split('/')
    .map((part) => encodeURIComponent(part).replace(/[!'()*]/g, (char) => `%${code(char).toString(16).toUpperCase()}`))
    .join('/');
}
