/**
 * The address of a page of the dashboard to go to; the first page where the given one is none. Another site's address
 * would make the sign-in page a trap.
 */
export function ownPage(address: unknown): string {
  return typeof address === 'string' && /^\/(?![/\\])[\x20-\x7e]*$/.test(address) ? address : '/';
}
