import { buildPdf } from './testing/pdf.ts';
import { outcomeOf, tightPool } from '../services/extractor/testing/pool.ts';

const pool = tightPool();
afterAll(() => pool.close());

/** A PDF whose page asks to wait, and whose form is the given template. */
function dynamicForm(content: string): Buffer {
  const template = `<subform name="form" layout="tb" locale="en_US"><pageSet><pageArea><contentArea x="10pt" y="10pt" w="500pt" h="700pt"/><medium short="612pt" long="792pt"/></pageArea></pageSet><subform layout="tb" w="400pt">${content}</subform></subform>`;
  const xml = `<?xml version="1.0"?><xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template xmlns="http://www.xfa.org/schema/xfa-template/3.3/">${template}</template></xdp:xdp>`;
  const stream = `<< /Length ${xml.length} >>\nstream\n${xml}\nendstream`;
  return buildPdf([{ lines: ['Please wait...'] }], {
    catalog: '/NeedsRendering true /AcroForm << /Fields [] /XFA 6 0 R >>',
    objects: [stream],
  });
}

const draw = (text: string, more = ''): string =>
  `<draw w="300pt" h="20pt" ${more}><value><text>${text}</text></value></draw>`;
const field = (caption: string, editor: string, value: string, more = ''): string =>
  `<field w="300pt" h="20pt" ${more}><caption reserve="100pt"><value><text>${caption}</text></value></caption><ui>${editor}</ui>${value === '' ? '' : `<value><text>${value}</text></value>`}</field>`;

describe('a dynamic form in a PDF', () => {
  it('is read with its values instead of the placeholder page', async () => {
    const choice =
      '<field w="300pt" h="20pt"><caption reserve="100pt"><value><text>Country</text></value></caption><ui><choiceList/></ui><items><text>Chile</text><text>Peru</text></items><value><text>Peru</text></value></field>';
    const { first } = await outcomeOf(
      pool,
      'pdf',
      dynamicForm(
        [
          draw('Application'),
          field('Town', '<textEdit/>', 'Arica'),
          field('Notes', '<textEdit multiLine="1"/>', 'by the sea'),
          choice,
          field('Secret', '<passwordEdit/>', 'sesame'),
          field('Unseen', '<textEdit/>', 'hidden words', 'presence="invisible"'),
          draw('The end'),
        ].join(''),
      ),
    );
    expect(first).toEqual([
      expect.objectContaining({
        text: 'Application\nTown Arica\nNotes by the sea\nCountry Peru\nThe end',
        location: expect.objectContaining({ page: 1 }),
      }),
    ]);
  });

  it.each([
    ['<template', '<tamplete'],
    ['</template>', ''],
    ['<value>', '<!--'],
  ])('falls back to the page if it is broken: %s', async (part, other) => {
    const broken = Buffer.from(dynamicForm(draw('Application')).toString('latin1').replace(part, other), 'latin1');
    expect((await outcomeOf(pool, 'pdf', broken)).first.map(({ text }) => text)).toEqual(['Please wait...']);
  });
});
