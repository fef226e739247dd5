import type { Warning } from '../models/asset.ts';
import { buildCourse, courseItem, courseResource, scormManifest } from './testing/course.ts';
import { buildDocx, buildPptx, paragraph, slideShape, type TestSlide } from './testing/office.ts';
import { blocksOf, codeOf, withFile } from './testing/read.ts';
import { buildZip } from './testing/zip.ts';
import { readPptx } from './pptx.ts';
import { defaultLimits } from './reader.ts';
import { readerOf } from './readers.ts';

const readSlides = async (slides: readonly TestSlide[]): Promise<unknown[]> =>
  (await blocksOf(readPptx, buildPptx(slides))).map(({ text, location: { slide, heading } }) => [slide, heading, text]);

const notes = (text: string): { type: string; name: string; xml: string } => ({
  type: 'notesSlide',
  name: 'notes.xml',
  xml: `<p:notes xmlns:p="urn:p" xmlns:a="urn:a">${slideShape(['Beside the slide'], 'sldImg')}${slideShape([text], 'body')}${slideShape(['7'], 'sldNum')}</p:notes>`,
});

describe('a presentation', () => {
  it('is read in slide order with the title of each slide', async () => {
    const shapes = `${slideShape(['Trim the wick', 'Fill the reservoir'], 'body')}${slideShape(['At dusk'], 'ctrTitle')}`;
    expect(
      await readSlides([
        { shapes },
        { shapes: slideShape(['No title here']) },
        { shapes: slideShape(['In fog'], 'title') },
      ]),
    ).toEqual([
      [1, 'At dusk', 'Trim the wick'],
      [1, 'At dusk', 'Fill the reservoir'],
      [1, 'At dusk', 'At dusk'],
      [2, undefined, 'No title here'],
      [3, 'In fog', 'In fog'],
    ]);
  });

  it('yields table rows, keeps lines and joins runs', async () => {
    const cell = (...texts: string[]): string =>
      `<a:tc><a:txBody>${texts.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('')}</a:txBody></a:tc>`;
    const table = `<p:graphicFrame><a:tbl><a:tr>${cell('item')}${cell('price', 'each')}</a:tr><a:tr>${cell('oil')}${cell('')}${cell('212')}</a:tr></a:tbl></p:graphicFrame>`;
    const split =
      '<p:sp><a:p><a:r><a:t>col</a:t></a:r><a:r><a:t>za</a:t></a:r><a:br/><a:fld type="x"><a:t>oil</a:t></a:fld></a:p></p:sp>';
    expect(await readSlides([{ shapes: `${table}${split}` }])).toEqual([
      [1, undefined, 'item | price each'],
      [1, undefined, 'oil | 212'],
      [1, undefined, 'colza\noil'],
    ]);
  });

  it('skips hidden slides and shapes, and reads footers once', async () => {
    const both =
      '<mc:AlternateContent><mc:Choice>CHOICE</mc:Choice><mc:Fallback>FALLBACK</mc:Fallback></mc:AlternateContent>'
        .replace('CHOICE', slideShape(['new']))
        .replace('FALLBACK', slideShape(['old']));
    const frame = `${slideShape(['3'], 'sldNum')}${slideShape(['May'], 'dt')}${slideShape(['The Board'], 'ftr')}`;
    expect(
      await readSlides([
        { shapes: `${both}${frame}` },
        { shapes: slideShape(['not shown']), attributes: ' show="0"', parts: [notes('nor its notes')] },
        {
          shapes: `<p:grpSp><p:nvGrpSpPr><p:cNvPr hidden="1"/></p:nvGrpSpPr>${slideShape(['within'])}</p:grpSp>${slideShape(['gone'], undefined, ' hidden="1"')}${slideShape(['here'])}${frame}`,
        },
      ]),
    ).toEqual([
      [1, undefined, 'new'],
      [1, undefined, 'The Board'],
      [3, undefined, 'here'],
    ]);
  });

  it('reads diagrams, charts, notes and comments after the slide', async () => {
    const parts = [
      notes('Say it slowly'),
      {
        type: 'comments',
        name: 'comments.xml',
        xml: '<p:cmLst xmlns:p="urn:p" xmlns:a="urn:a"><p:cm><p:text>Is it so?</p:text></p:cm><p:cm><p:txBody><a:p><a:r><a:t>It is.</a:t></a:r></a:p></p:txBody></p:cm></p:cmLst>',
      },
      {
        type: 'diagramData',
        name: 'data.xml',
        xml: '<d:m xmlns:d="urn:d" xmlns:a="urn:a"><a:p><a:r><a:t>Step one</a:t></a:r></a:p></d:m>',
      },
    ];
    expect(await readSlides([{ shapes: slideShape(['Fog'], 'title'), parts }])).toEqual([
      [1, 'Fog', 'Fog'],
      [1, 'Fog', 'Step one'],
      [1, 'Fog', 'Say it slowly'],
      [1, 'Fog', 'Is it so?'],
      [1, 'Fog', 'It is.'],
    ]);
  });

  it('that is unreadable if broken, and reports broken notes', async () => {
    expect(await codeOf(readPptx, 'no zip')).toBe('document_unreadable');
    expect(await codeOf(readPptx, buildDocx(paragraph('a Word file')))).toBe('document_unreadable');
    expect(await codeOf(readPptx, buildPptx([]))).toBe('read');
    expect(await codeOf(readPptx, buildPptx([{ shapes: '<p:sp>' }]))).toBe('document_unreadable');
    const warnings: Warning[] = [];
    await withFile(
      buildPptx([{ shapes: slideShape(['read']), parts: [{ type: 'notesSlide', name: 'notes.xml', xml: '<broken' }] }]),
      'a.pptx',
      async (path, bytes) => {
        const blocks = await Array.fromAsync(
          readPptx(
            { path, bytes },
            defaultLimits,
            () => undefined,
            (warning) => warnings.push(warning),
          ),
        );
        expect(blocks.map(({ text }) => text)).toEqual(['read']);
      },
    );
    expect(warnings).toEqual([{ code: 'drawings_unread', detail: expect.stringContaining('slide 1') }]);
  });

  it('in a course has its own title and slide titles', async () => {
    const pptx = buildPptx([
      { shapes: slideShape(['At dusk'], 'title') + slideShape(['Trim the wick']) },
      { shapes: slideShape(['plain']), parts: [{ type: 'notesSlide', name: 'notes.xml', xml: '<broken' }] },
    ]);
    const manifest = scormManifest(courseItem('Keeping the light', 'r'), courseResource('r', 'light.pptx'));
    const course = buildCourse({
      pages: { 'light.pptx': pptx, 'macros.docm': buildDocx(paragraph('Word of it')), 'odd.pptx': buildZip([]) },
      manifest,
    });
    const warnings: Warning[] = [];
    await withFile(course, 'course.zip', async (path, bytes) => {
      const read = await readerOf('package');
      const blocks = await Array.fromAsync(
        read(
          { path, bytes },
          defaultLimits,
          () => undefined,
          (warning) => warnings.push(warning),
        ),
      );
      expect(blocks.map(({ text, titles, location }) => ({ text, titles, ...location }))).toEqual([
        {
          text: 'At dusk',
          titles: 'Course\nAt dusk\nKeeping the light',
          resource: 'light.pptx',
          title: 'At dusk',
          slide: 1,
          heading: 'At dusk',
        },
        { text: 'Trim the wick', resource: 'light.pptx', title: 'At dusk', slide: 1, heading: 'At dusk' },
        { text: 'plain', titles: 'Keeping the light', resource: 'light.pptx', title: 'Keeping the light', slide: 2 },
        { text: 'Word of it', titles: 'Course', resource: 'macros.docm', title: 'Course', block: 1 },
      ]);
    });
    expect(warnings.map(({ code, detail }) => [code, /\w+\.pptx/.exec(detail)?.[0]])).toEqual([
      ['package_files_unread', 'odd.pptx'],
      ['package_files_partly_unread', 'light.pptx'],
    ]);
  });
});
