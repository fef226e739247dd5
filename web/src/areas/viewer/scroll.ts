/**
 * Scrolls a view so that something in it stands at a share of its height (0: at the top). Unlike `scrollIntoView`, it
 * leaves the page around the view where the person has it.
 */
export function scrollWithin(view: HTMLElement, target: Element | Range, share: number): void {
  const distance = target.getBoundingClientRect().top - view.getBoundingClientRect().top;
  view.scrollTop += distance - view.clientHeight * share;
}
