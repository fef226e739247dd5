/** Characters of a token (RFC 9110, 5.6.2) without capitals and the asterisk. */
const lowerToken = "[a-z0-9!#$%&'+.^_`|~-]+";
const token = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";
const quotedText = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\t \\x21-\\x7e])*"';

const parameters = `(?:[ \\t]*;[ \\t]*${token}=(?:${token}|${quotedText}))*`;

/** One media type with parameters (RFC 9110, 8.3.1); type and subtype in lower case. */
export const mediaTypeForm = {
  source: `^${lowerToken}/${lowerToken}${parameters}$`,
  expected: 'one media type, with type and subtype in lower case',
};

/** The media type of a video, with parameters. */
export const videoTypeForm = {
  source: `^video/${lowerToken}${parameters}$`,
  expected: 'a media type that begins with video/, with its subtype in lower case',
};

/** A media type without parameters, or all subtypes of a type. */
export const mediaRangeForm = {
  source: `^${lowerToken}/(?:${lowerToken}|\\*)$`,
  expected: 'a media type in lower case without parameters, or a type and /*',
};

/** Type and subtype of a media type. */
export function essenceOf(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim();
}

/** Whether a list of media types and ranges admits a media type. An empty list admits every type. */
export function isAdmitted(mediaType: string, allowed: readonly string[]): boolean {
  const essence = essenceOf(mediaType);
  const range = `${essence.split('/', 1)[0] ?? ''}/*`;
  return allowed.length === 0 || allowed.includes(essence) || allowed.includes(range);
}
