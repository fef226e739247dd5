import fc from 'fast-check';
import type { Warning } from '../../models/asset.ts';
import type { Block } from '../../models/block.ts';
import { scormManifest } from '../testing/course.ts';
import { withFile } from '../testing/read.ts';
import { buildZip } from '../testing/zip.ts';
import { defaultLimits } from '../reader.ts';
import { readerOf } from '../readers.ts';

const read = await readerOf('package');
const pages = ['a.html', 'b c.html', 'deep/er/c.htm', 'Upper/D.xhtml', 'slides/slide7.html', 'é.html', '50%.html'];
const codes = ['document_unreadable', 'document_too_complex', 'not_a_scorm_package'];

/** Addresses: of pages, in odd spellings, and of what is not there or not in the package. */
const address = fc.oneof(
  fc.constantFrom(
    ...pages,
    ...pages.map((path) => encodeURIComponent(path)),
    ...pages.map((path) => path.toUpperCase()),
    ...pages.map((path) => `./x/../${path}?q=1#h`),
  ),
  fc.constantFrom(
    '../../../../etc/passwd',
    '/etc/passwd',
    'file:///etc/passwd',
    'http://127.0.0.1/',
    '//host/a.html',
    '..\\..\\a.html',
    '%2e%2e/a.html',
    '%',
    '',
    '#',
    '?',
    'imsmanifest.xml',
    '.',
    'a.html/',
  ),
  fc.string({ maxLength: 12, unit: 'binary' }),
);
const base = fc.option(fc.constantFrom('deep/', 'deep', '../', '/', 'http://x/', '', 'a/../'), { nil: undefined });
const identifier = fc.constantFrom('r0', 'r1', 'r2', 'r3', 'm0', '');
const escaped = (text: string): string =>
  text.replace(/[&<>"\0-\x1f\ufffe\uffff\p{Surrogate}]/gu, (letter) =>
    letter === '&' ? '&amp;' : letter === '<' ? '&lt;' : letter === '"' ? '&quot;' : '',
  );
const attribute = (name: string, value: string | undefined): string =>
  value === undefined ? '' : ` ${name}="${escaped(value)}"`;

interface ItemTree {
  title: string;
  ref: string;
  items: ItemTree[];
}
const { item } = fc.letrec<{ item: ItemTree }>((tie) => ({
  item: fc.record({
    title: fc.string({ maxLength: 8, unit: 'binary' }),
    ref: identifier,
    items: fc.oneof({ depthSize: 'small' }, fc.constant<ItemTree[]>([]), fc.array(tie('item'), { maxLength: 3 })),
  }),
}));
const itemXml = ({ title, ref, items }: ItemTree): string =>
  `<item${attribute('identifierref', ref)}><title>${escaped(title)}</title>${items.map(itemXml).join('')}</item>`;
const resource = fc
  .record({
    id: identifier,
    href: fc.option(address, { nil: undefined }),
    base,
    files: fc.array(address, { maxLength: 4 }),
    needs: fc.array(identifier, { maxLength: 3 }),
  })
  .map(
    ({ id, href, base: own, files, needs }) =>
      `<resource identifier="${id}"${attribute('href', href)}${attribute('xml:base', own)}>${files.map((file) => `<file${attribute('href', file)}/>`).join('')}${needs.map((need) => `<dependency identifierref="${need}"/>`).join('')}</resource>`,
  );
const manifestXml = fc
  .record({
    items: fc.array(item, { maxLength: 4 }),
    resources: fc.array(resource, { maxLength: 5 }),
    base,
    version: fc.constantFrom('1.2' as const, '2004' as const),
    inner: fc.boolean(),
  })
  .map(({ items, resources, base: own, version, inner }) => {
    const xml = scormManifest(items.map(itemXml).join(''), resources.join(''), {
      version,
      attributes: attribute('xml:base', own).trim(),
    });
    return inner
      ? xml.replace(
          '</manifest>',
          `<manifest identifier="m0"><organizations><organization>${items.map(itemXml).join('')}</organization></organizations><resources>${resources.join('')}</resources></manifest></manifest>`,
        )
      : xml;
  });

async function outcome(
  manifest: string | Buffer,
): Promise<{ blocks: Block[]; warnings: Warning[]; code: string | null }> {
  const entries = [
    { name: 'imsmanifest.xml', content: manifest },
    ...pages.map((name) => ({ name, content: `<p>words of ${name}</p>` })),
    { name: 'broken.pdf', content: 'no pdf' },
    { name: 'empty.html', content: '' },
  ];
  return withFile(buildZip(entries), 'course.zip', async (path, bytes) => {
    const [blocks, warnings]: [Block[], Warning[]] = [[], []];
    try {
      for await (const block of read(
        { path, bytes },
        defaultLimits,
        () => undefined,
        (warning) => warnings.push(warning),
      ))
        blocks.push(block);
      return { blocks, warnings, code: null };
    } catch (error) {
      return { blocks, warnings, code: error instanceof Error && 'code' in error ? String(error.code) : String(error) };
    }
  });
}

describe('any manifest', () => {
  it('yields every page once and stays within the package', async () => {
    await fc.assert(
      fc.asyncProperty(manifestXml, async (manifest) => {
        const { blocks, warnings, code } = await outcome(manifest);
        expect(code).toBeNull();
        expect(blocks.map(({ location }) => location.resource).toSorted()).toEqual(pages.toSorted());
        for (const {
          location: { title },
        } of blocks)
          expect(title).not.toBe('');
        expect(warnings.find((warning) => warning.code === 'package_files_unread')?.detail).toContain('broken.pdf');
        expect(warnings.find((warning) => warning.code === 'package_files_without_text')?.detail).toContain(
          'empty.html',
        );
      }),
      { numRuns: 150 },
    );
  });

  it('if damaged, yields all pages or a failure code', async () => {
    const damage = fc.record({
      at: fc.double({ min: 0, max: 0.999, noNaN: true }),
      text: fc.oneof(
        fc.string({ maxLength: 6, unit: 'binary' }),
        fc.constantFrom('<', '>', '&', '"', '<item>', '</manifest>', '<manifest>', ']]>', '<![CDATA[', '<!--', '\0'),
      ),
    });
    await fc.assert(
      fc.asyncProperty(manifestXml, fc.array(damage, { minLength: 1, maxLength: 4 }), async (manifest, damages) => {
        let xml = manifest;
        for (const { at, text } of damages)
          xml = xml.slice(0, Math.floor(xml.length * at)) + text + xml.slice(Math.floor(xml.length * at) + text.length);
        const { blocks, code } = await outcome(xml);
        if (code === null) expect(blocks.map(({ location }) => location.resource).toSorted()).toEqual(pages.toSorted());
        else expect(codes).toContain(code);
      }),
      { numRuns: 150 },
    );
  });
});
