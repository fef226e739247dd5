/** Elements whose content is never read. The annotation of a formula repeats it in another notation. */
export const unreadElements = new Set([
  'title',
  'script',
  'style',
  'template',
  'noscript',
  'svg',
  'iframe',
  'object',
  'canvas',
  'audio',
  'video',
  'select',
  'textarea',
  'button',
  'input',
  'dialog',
  'rp',
  'rt',
  'frameset',
  'noframes',
  'datalist',
  'map',
  'xml',
  'annotation',
  'annotation-xml',
]);

/** Elements that are read in courses: panes that open, answers to choose from. */
export const readInCourses = new Set(['button', 'dialog']);

/** Elements that never have content. */
export const voidElements = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'param',
  'source',
  'track',
  'wbr',
]);

/** Elements that begin and end a block of text (HTML standard, 15.3), and those that never have inline text. */
const blockElements = new Set([
  'address',
  'article',
  'aside',
  'audio',
  'blockquote',
  'body',
  'button',
  'canvas',
  'caption',
  'center',
  'col',
  'colgroup',
  'datalist',
  'dd',
  'details',
  'dialog',
  'dir',
  'div',
  'dl',
  'dt',
  'fieldset',
  'figcaption',
  'figure',
  'footer',
  'form',
  'frameset',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'head',
  'header',
  'hgroup',
  'hr',
  'html',
  'iframe',
  'input',
  'legend',
  'li',
  'listing',
  'main',
  'map',
  'menu',
  'nav',
  'noframes',
  'noscript',
  'object',
  'ol',
  'optgroup',
  'option',
  'p',
  'plaintext',
  'pre',
  'rp',
  'rt',
  'script',
  'search',
  'section',
  'select',
  'slot',
  'style',
  'summary',
  'svg',
  'table',
  'tbody',
  'td',
  'template',
  'textarea',
  'tfoot',
  'th',
  'thead',
  'title',
  'tr',
  'ul',
  'video',
  'xmp',
]);

/** Whether an element is inline, which includes all unknown ones: formulas, Office's smart tags. */
export function isInline(tag: string): boolean {
  return !blockElements.has(tag);
}

/** Prefixes of Office's own elements in the pages that it saves; `o:p` is no paragraph. */
const officePrefix = /^(o|v|w\d*|m|st\d+|x|p):/;

/** The name of an element without an XHTML prefix. */
export function plainName(name: string): string {
  return officePrefix.test(name) ? name : name.slice(name.indexOf(':') + 1);
}

/** Elements that frame a page's content. */
const framingElements = new Set(['nav', 'aside', 'footer', 'menu']);
const framingRoles = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'complementary',
  'search',
  'menu',
  'menubar',
  'dialog',
  'alertdialog',
  'toolbar',
  'tooltip',
  'alert',
]);

/*
 * Words in class names and ids that authors give to framing elements, and to the content itself. The approach is that
 * of Arc90's Readability: names are evidence, and content names outweigh framing names.
 */
const framingNames =
  /(^|[\s_-])(ad|ads|adsense|advert\w*|banner|breadcrumbs?|byline|combx|comments?|community|cookie\w*|cover-wrap|disqus|extra|footer|foot|gdpr|legends|login|masthead|menu\w*|meta|modal|nav\w*|newsletter|pager|pagination|popup|popular|promo\w*|recommend\w*|related\w*|remark|replies|rss|share\w*|sharing|shoutbox|sidebar\w*|signup|skip\w*|skyscraper|social\w*|sponsor\w*|subscri\w*|supplemental|tags?|toolbar|trending|widget\w*|yom-remote)([\s_-]|$)/i;
/** Names about the layout or the tool, not the element: `has-sidebar`, `no-ads`, `elementor-widget-wrap`. */
const layoutNames = /(^|[\s_-])(has|no|not|with|without|elementor)[_-]\S*/gi;
const contentNames =
  /(^|[\s_-])(and|article\w*|body|column|content\w*|main\w*|shadow|post|entry|story|text|page|blog|hentry)([\s_-]|$)/i;

/** Attributes of an element, by name in lower case. */
export type HtmlAttributes = Readonly<Record<string, string>>;

/** Whether an element is hidden. A tab panel is not: it is displayed once its tab is selected. */
export function isHidden(attributes: HtmlAttributes): boolean {
  if (attributes['role'] === 'tabpanel') return false;
  if (attributes['hidden'] !== undefined && attributes['hidden'] !== 'until-found') return true;
  if (attributes['aria-hidden'] === 'true') return true;
  return /(^|;)\s*(display\s*:\s*none|visibility\s*:\s*hidden)/i.test(attributes['style'] ?? '');
}

/** Whether an element of a course page is navigation. Asides and headers are content in a course. */
export function isCourseFraming(tag: string, attributes: HtmlAttributes): boolean {
  return (
    ['nav', 'footer', 'menu'].includes(tag) ||
    ['navigation', 'contentinfo', 'menu', 'menubar', 'toolbar'].includes(attributes['role'] ?? '')
  );
}

const hasClass = (attributes: HtmlAttributes, name: string): boolean =>
  ` ${(attributes['class'] ?? '').slice(0, 500)} `.includes(` ${name} `);

/** Whether an element is a slide: by its class, or a section within a slide container. */
export function isSlide(tag: string, attributes: HtmlAttributes, inSlides: boolean): boolean {
  return hasClass(attributes, 'slide') || (tag === 'section' && inSlides);
}

/** Whether an element is a slide container. */
export function holdsSlides(attributes: HtmlAttributes): boolean {
  return hasClass(attributes, 'slides');
}

const contentsNames = /(^|[\s_-])(toc|table[\s_-]?of[\s_-]?contents)([\s_-]|$)/i;

/** Whether an element is a table of contents, by its role or its names. */
export function isTableOfContents(tag: string, attributes: HtmlAttributes): boolean {
  if (attributes['role'] === 'doc-toc') return true;
  if (['html', 'body', 'main', 'article'].includes(tag)) return false;
  const names = `${attributes['class'] ?? ''} ${attributes['id'] ?? ''}`;
  return contentsNames.test(names.slice(0, 500).replace(layoutNames, ' '));
}

/** Whether an element frames the content of its page. `inContent`: it is within an article or the main part. */
export function isFraming(tag: string, attributes: HtmlAttributes, inContent: boolean): boolean {
  const role = attributes['role'] ?? '';
  if (framingRoles.has(role) || framingElements.has(tag)) return true;
  if (tag === 'header' && !inContent) return true;
  if (tag === 'body' || tag === 'html' || tag === 'article' || tag === 'main' || /^h\d$/.test(tag)) return false;
  const classes = attributes['class'] ?? '';
  // Document tools derive section ids from headings: `related-work`, `login`.
  const id = tag === 'section' || /(^|\s)(section|sect\d|level\d)(\s|$)/.test(classes) ? '' : (attributes['id'] ?? '');
  const names = `${classes} ${id}`.slice(0, 500).replace(layoutNames, ' ');
  return framingNames.test(names) && !contentNames.test(names);
}
