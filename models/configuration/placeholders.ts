/** What the templates of secrets (`k8s/base/*.example.env`) have in place of a value. */
const placeholder = 'change-me';
/** The id in the template: random ids are never all zeros. */
const placeholderId = '00000000-0000-4000-8000-000000000000';

/**
 * Whether the text of a variable still has what a template put there, in clear or, as for a secret key, in base64.
 * Everybody knows these values, so they protect nothing.
 */
export function isPlaceholder(text: string): boolean {
  const known = text.toLowerCase();
  if (known.includes(placeholder) || known === placeholderId) return true;
  return text.split(',').some((part) => Buffer.from(part.trim(), 'base64').toString('latin1').includes(placeholder));
}
