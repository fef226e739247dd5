const escapes: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** Escapes text for XML. Characters that XML 1.0 cannot hold become U+FFFD; clients that need them ask for url encoding. */
export function escapeXml(text: string): string {
  return text
    .replace(/[&<>"\r]/g, (character) => escapes[character] ?? character)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
}

/** An element with escaped text; null and undefined give nothing. */
export function element(name: string, text: string | number | boolean | null | undefined): string {
  return text === null || text === undefined ? '' : `<${name}>${escapeXml(String(text))}</${name}>`;
}
