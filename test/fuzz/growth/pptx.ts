import { buildPptx, slideShape } from '../../../formats/testing/office.ts';
import { buildZip } from '../../../formats/testing/zip.ts';
import { shapesOf, type GrowingShape } from './shape.ts';

const slideUnits = String.raw`
<p:sp><p:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody></p:sp>
<p:sp><p:txBody> … <a:p><a:r><a:t>x</a:t></a:r></a:p> … </p:txBody></p:sp>
<p:sp><p:txBody><a:p> … <a:br/> … </a:p></p:txBody></p:sp>
<p:sp><p:txBody><a:p> … <a:r><a:t>x</a:t></a:r><a:br/> … </a:p></p:txBody></p:sp>
<p:graphicFrame><a:tbl><a:tr> … <a:tc><a:p><a:r><a:t>x</a:t></a:r></a:p></a:tc> … </a:tr></a:tbl></p:graphicFrame>
<p:graphicFrame><a:tbl> … <a:tr><a:tc><a:p><a:r><a:t>x</a:t></a:r></a:p></a:tc></a:tr> … </a:tbl></p:graphicFrame>
<p:sp><p:txBody><a:p><a:r><a:t>x … \u0020 … x</a:t></a:r></a:p></p:txBody></p:sp>
<p:sp><p:txBody><a:p><a:r><a:t>x … \n … x</a:t></a:r></a:p></p:txBody></p:sp>
`;

const pptx = (content: string): Buffer => buildPptx([{ shapes: content }]);
/** Shapes of presentations. */
export const pptxShapes: readonly GrowingShape[] = [
  ...shapesOf(slideUnits, 'presentation', pptx),
  {
    name: 'shapes within groups',
    format: 'presentation',
    build: (n) => pptx('<p:grpSp>'.repeat(900) + slideShape(['x']).repeat(n) + '</p:grpSp>'.repeat(900)),
  },
  {
    name: 'slides',
    format: 'presentation',
    build: (n) =>
      buildPptx(Array.from({ length: Math.min(n, 4000) }, (_, index) => ({ shapes: slideShape([`x${index}`]) }))),
  },
  {
    name: 'one slide shown many times',
    format: 'presentation',
    build: (n) =>
      buildZip([
        {
          name: 'ppt/presentation.xml',
          content: `<p:presentation xmlns:p="urn:p" xmlns:r="urn:r"><p:sldIdLst>${'<p:sldId r:id="r"/>'.repeat(n)}</p:sldIdLst></p:presentation>`,
        },
        {
          name: 'ppt/_rels/presentation.xml.rels',
          content: '<Relationships><Relationship Id="r" Type="x/slide" Target="slide.xml"/></Relationships>',
        },
        {
          name: 'ppt/slide.xml',
          content: `<p:sld xmlns:p="urn:p" xmlns:a="urn:a">${slideShape(['x']).repeat(n)}</p:sld>`,
        },
      ]),
  },
  {
    name: 'slides with footers',
    format: 'presentation',
    build: (n) =>
      buildPptx(
        Array.from({ length: Math.min(n, 4000) }, (_, index) => ({ shapes: slideShape([`x${index}`], 'ftr') })),
      ),
  },
];
