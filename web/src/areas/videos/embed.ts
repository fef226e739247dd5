import type { components } from '../../api/schema.d.ts';

const escapes: { readonly [letter: string]: string } = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string): string => text.replace(/[&"<>]/g, (letter) => escapes[letter] ?? letter);

/** The HTML that plays a film by its link, for pages elsewhere. */
export function embedCode(
  { url, nativeUrl, posterUrl }: Pick<components['schemas']['Link'], 'url' | 'nativeUrl' | 'posterUrl'>,
  title: string,
): string {
  const poster = posterUrl === null || posterUrl === undefined ? '' : ` poster="${escaped(posterUrl)}"`;
  return [
    `<video controls playsinline preload="metadata" title="${escaped(title)}"${poster}>`,
    `  <source src="${escaped(nativeUrl ?? url)}" type="application/vnd.apple.mpegurl">`,
    '</video>',
  ].join('\n');
}
