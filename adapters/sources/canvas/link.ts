/**
 * The address of the next page in a `Link` header (RFC 8288); null where there is none. Relation types and parameter names
 * are compared without case, an address may hold commas and semicolons.
 */
export function nextLink(header: string | null): string | null {
  for (const [, address, parameters] of (header ?? '').matchAll(/<([^<>]*)>((?:\s*;\s*[^\s;,<>="]+(?:\s*=\s*(?:"[^"]*"|[^\s";,<>]*))?)*)/g)) {
    const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s";,]*))/i.exec(parameters ?? '');
    const names = (relation?.[1] ?? relation?.[2] ?? '').toLowerCase().split(/\s+/);
    if (names.includes('next')) return address ?? null;
  }
  return null;
}
