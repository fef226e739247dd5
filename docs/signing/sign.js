import { createHmac } from 'node:crypto';

const encode = (text) =>
  text
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join('/');

/** A link to a file: `profile` is the bucket's signing profile, `expires` a Unix time in seconds. */
export function signLink(profile, key, expires, { ip, tags = {} } = {}) {
  const path = `/${encode(key)}`;
  let query = `expires=${expires}&kid=${profile.keyId}`;
  if (ip) query += `&ip=${ip}`;
  for (const name of Object.keys(tags).sort()) query += `&tag.${name}=${encode(tags[name])}`;
  const token = createHmac('sha256', Buffer.from(profile.key, 'base64url'))
    .update(`${profile.scheme}\n${path}\n${query}`)
    .digest('base64url');
  return `https://${profile.hostname}${path}?${query}&token=${token}`;
}
