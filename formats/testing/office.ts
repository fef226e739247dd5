import type { TestEntry } from './zip.ts';
import { buildZip } from './zip.ts';

const rels = (entries: readonly string[]): string =>
  `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${entries.join('')}</Relationships>`;
const typeRoot = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A further part of a test document: its relationship type, and its XML (or what else it holds). */
export interface TestPart {
  type: string;
  name: string;
  xml: string | Buffer;
}

function partRels(parts: readonly TestPart[]): string {
  return rels(
    parts.map(
      ({ type, name }, index) => `<Relationship Id="rId${index + 1}" Type="${typeRoot}/${type}" Target="${name}"/>`,
    ),
  );
}

/** Builds a Word file around the XML of its body. */
export function buildDocx(
  body: string,
  parts: readonly TestPart[] = [],
  namespace = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
): Buffer {
  return buildZip([
    {
      name: '_rels/.rels',
      content: rels([`<Relationship Id="r" Type="${typeRoot}/officeDocument" Target="word/document.xml"/>`]),
    },
    {
      name: 'word/document.xml',
      content: `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="${namespace}" xmlns:mc="urn:mc" xmlns:v="urn:v" xmlns:wps="urn:wps"><w:body>${body}</w:body></w:document>`,
    },
    { name: 'word/_rels/document.xml.rels', content: partRels(parts) },
    ...parts.map(({ name, xml }): TestEntry => ({ name: `word/${name}`, content: xml })),
  ]);
}

/** A Word paragraph with one run, in a style where one is named. */
export function paragraph(text: string, style?: string): string {
  const properties = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t>${text}</w:t></w:r></w:p>`;
}

/** A sheet of a test workbook: the XML of its rows. */
export interface TestSheet {
  name: string;
  rows: string;
  state?: 'hidden' | 'veryHidden';
}

/** Builds a workbook. `formats` are the format codes of the cell styles 0, 1, 2, ... */
export function buildXlsx(
  sheets: readonly TestSheet[],
  options: { strings?: string; formats?: readonly string[]; since1904?: boolean } = {},
): Buffer {
  const parts: TestPart[] = sheets.map(({ rows }, index) => ({
    type: 'worksheet',
    name: `worksheets/sheet${index + 1}.xml`,
    xml: `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  }));
  const formats = options.formats ?? [];
  parts.push({
    type: 'styles',
    name: 'styles.xml',
    xml: `<styleSheet><numFmts>${formats.map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${code.replaceAll('"', '&quot;')}"/>`).join('')}</numFmts><cellXfs>${formats.map((_, index) => `<xf numFmtId="${164 + index}"/>`).join('')}</cellXfs></styleSheet>`,
  });
  if (options.strings !== undefined)
    parts.push({ type: 'sharedStrings', name: 'sharedStrings.xml', xml: `<sst>${options.strings}</sst>` });
  return buildZip([
    {
      name: '_rels/.rels',
      content: rels([`<Relationship Id="r" Type="${typeRoot}/officeDocument" Target="/xl/workbook.xml"/>`]),
    },
    {
      name: 'xl/workbook.xml',
      content: `<workbook xmlns:r="urn:r"><workbookPr${options.since1904 === true ? ' date1904="1"' : ''}/><sheets>${sheets.map(({ name, state }, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"${state === undefined ? '' : ` state="${state}"`}/>`).join('')}</sheets></workbook>`,
    },
    { name: 'xl/_rels/workbook.xml.rels', content: partRels(parts) },
    ...parts.map(({ name, xml }): TestEntry => ({ name: `xl/${name}`, content: xml })),
  ]);
}

/** A slide of a test presentation: the XML of its shapes, and what belongs to it. */
export interface TestSlide {
  shapes: string;
  /** Attributes of the slide: ` show="0"` hides it. */
  attributes?: string;
  parts?: readonly TestPart[];
}

/** A shape of a slide with a paragraph for each text, in a placeholder where a type is named. */
export function slideShape(texts: readonly string[], placeholder?: string, properties = ''): string {
  const type = placeholder === undefined ? '' : `<p:ph type="${placeholder}"/>`;
  return `<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"${properties}/><p:nvPr>${type}</p:nvPr></p:nvSpPr><p:txBody>${texts.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp>`;
}

/** Builds a presentation; its slides lie in files of the opposite order. */
export function buildPptx(slides: readonly TestSlide[]): Buffer {
  const nameOf = (index: number): string => `slides/slide${slides.length - index}.xml`;
  const related = slides.map((_, index): TestPart => ({ type: 'slide', name: nameOf(index), xml: '' }));
  return buildZip([
    {
      name: '_rels/.rels',
      content: rels([`<Relationship Id="r" Type="${typeRoot}/officeDocument" Target="ppt/presentation.xml"/>`]),
    },
    {
      name: 'ppt/presentation.xml',
      content: `<p:presentation xmlns:p="urn:p" xmlns:r="urn:r"><p:sldIdLst>${slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    },
    { name: 'ppt/_rels/presentation.xml.rels', content: partRels(related) },
    ...slides.flatMap(({ shapes, attributes = '', parts = [] }, index): TestEntry[] => [
      {
        name: `ppt/${nameOf(index)}`,
        content: `<p:sld xmlns:p="urn:p" xmlns:a="urn:a" xmlns:mc="urn:mc"${attributes}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
      },
      {
        name: `ppt/slides/_rels/slide${slides.length - index}.xml.rels`,
        content: partRels(parts.map((part) => ({ ...part, name: `../${part.name}` }))),
      },
      ...parts.map(({ name, xml }): TestEntry => ({ name: `ppt/${name}`, content: xml })),
    ]),
  ]);
}
