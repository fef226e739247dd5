import { buildDocx, paragraph } from '../../../formats/testing/office.ts';
import { many, shapesOf, type GrowingShape } from './shape.ts';

const docxUnits = String.raw`
<w:p><w:r><w:t>x</w:t></w:r></w:p>
<w:p/>
<w:p></w:p>
<w:p> … <w:r><w:t>x</w:t></w:r> … </w:p>
<w:p> … <w:r><w:br/></w:r> … </w:p>
<w:p> … <w:r><w:tab/></w:r> … </w:p>
<w:p><w:r><w:t> … x … </w:t></w:r></w:p>
<w:p><w:r><w:t>x … \u0020 … x</w:t></w:r></w:p>
<w:p><w:r><w:t>x … \n … x</w:t></w:r></w:p>
<w:p> … <w:r><w:t> </w:t><w:br/></w:r> … </w:p>
<w:p> … <w:r><w:fldChar w:fldCharType="begin"/></w:r> … </w:p>
<w:p> … <w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>x</w:t></w:r> … </w:p>
<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>x</w:t></w:r></w:p>
<w:tbl><w:tr> … <w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc> … </w:tr></w:tbl>
<w:tbl> … <w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr> … </w:tbl>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
<w:tbl><w:tr><w:tc> … <w:p><w:r><w:t>x</w:t></w:r></w:p> … </w:tc></w:tr></w:tbl>
<w:p> … <w:r><w:txbxContent><w:p><w:r><w:t>x</w:t></w:r></w:p></w:txbxContent></w:r> … </w:p>
<mc:AlternateContent><mc:Choice/><mc:Fallback/></mc:AlternateContent>
<mc:AlternateContent> … <mc:Choice/> … </mc:AlternateContent>
<w:p> … <w:del><w:r><w:t>x</w:t></w:r></w:del> … </w:p>
<w:p> … <w:pPr><w:pStyle w:val="Heading1"/></w:pPr> … </w:p>
<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>
<w:p> … <w:r><w:sym w:font="Symbol" w:char="F061"/></w:r> … </w:p>
<w:p><w:r><w:t> … \u00ad … </w:t></w:r></w:p>
<w:p><w:r><w:t> … &amp; … </w:t></w:r></w:p>
<!-- -->
<?x?>
<!-- x\u0020 … - … \u0020-->
<w:p><w:r><w:t> … <![CDATA[x]]> … </w:t></w:r></w:p>
<w:p … \u0020w:a="b" … />
<w:p w:rsid=" … x … "/>
<w:p> … <w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t></w:r> … </w:p>
<w:p> … <v:textpath string="x"/> … </w:p>
<w:footnote w:type="separator"/>
<w:p><w:r><w:t> … ] … </w:t></w:r></w:p>
<w:p><w:r><w:t> … &#x41; … </w:t></w:r></w:p>
<w:p><w:pPr> … <w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr> … </w:pPr></w:p>
`;

const numbering = (abstract: string, nums: string): { type: string; name: string; xml: string } => ({
  type: 'numbering',
  name: 'numbering.xml',
  xml: `<w:numbering xmlns:w="urn:w">${abstract}${nums}</w:numbering>`,
});
const level = (text: string, format = 'decimal'): string =>
  `<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
const listed = (number: number | string, text = 'x'): string =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="${number}"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;

/** Shapes of Word files. */
export const docxShapes: readonly GrowingShape[] = [
  ...shapesOf(docxUnits, 'docx', (content) => buildDocx(content)),
  ...[
    'decimal',
    'lowerRoman',
    'upperLetter',
    'ordinal',
    'cardinalText',
    'ordinalText',
    'chicago',
    'japaneseCounting',
    'hebrew1',
    'decimalZero',
  ].map((format): GrowingShape => ({
    name: `items of a ${format} list`,
    format: 'docx',
    build: (n) =>
      buildDocx(listed(1).repeat(n), [
        numbering(
          `<w:abstractNum w:abstractNumId="0">${level('%1.', format)}</w:abstractNum>`,
          '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
        ),
      ]),
  })),
  {
    name: 'lists',
    format: 'docx',
    build: (n) =>
      buildDocx(
        many(n, (index) => listed(index)),
        [
          numbering(
            many(n, (index) => `<w:abstractNum w:abstractNumId="${index}">${level('%1.')}</w:abstractNum>`),
            many(n, (index) => `<w:num w:numId="${index}"><w:abstractNumId w:val="${index}"/></w:num>`),
          ),
        ],
      ),
  },
  {
    name: 'a long text of a level',
    format: 'docx',
    build: (n) =>
      buildDocx(listed(1).repeat(20), [
        numbering(
          `<w:abstractNum w:abstractNumId="0">${level('%1'.repeat(n))}</w:abstractNum>`,
          '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
        ),
      ]),
  },
  {
    name: 'numbers that start high',
    format: 'docx',
    build: (n) =>
      buildDocx(listed(1).repeat(20), [
        numbering(
          `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="${n * 1000}"/><w:numFmt w:val="upperLetter"/><w:lvlText w:val="%1"/></w:lvl></w:abstractNum>`,
          '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
        ),
      ]),
  },
  {
    name: 'lists linked by styles',
    format: 'docx',
    build: (n) =>
      buildDocx(
        many(n, (index) => listed(index)),
        [
          numbering(
            many(
              n,
              (index) =>
                `<w:abstractNum w:abstractNumId="${index}"><w:numStyleLink w:val="s${index}"/></w:abstractNum>`,
            ),
            many(n, (index) => `<w:num w:numId="${index}"><w:abstractNumId w:val="${index}"/></w:num>`),
          ),
          {
            type: 'styles',
            name: 'styles.xml',
            xml: `<w:styles xmlns:w="urn:w">${many(n, (index) => `<w:style w:type="numbering" w:styleId="s${index}"><w:pPr><w:numPr><w:numId w:val="${index + 1}"/></w:numPr></w:pPr></w:style>`)}</w:styles>`,
          },
        ],
      ),
  },
  {
    name: 'styles based on each other',
    format: 'docx',
    build: (n) =>
      buildDocx(
        many(n, (index) => paragraph('x', `s${index}`)),
        [
          {
            type: 'styles',
            name: 'styles.xml',
            xml: `<w:styles xmlns:w="urn:w">${many(n, (index) => `<w:style w:type="paragraph" w:styleId="s${index}"><w:basedOn w:val="s${index + 1}"/></w:style>`)}</w:styles>`,
          },
        ],
      ),
  },
  {
    name: 'headers',
    format: 'docx',
    build: (n) =>
      buildDocx(
        paragraph('x'),
        Array.from({ length: Math.min(n, 4000) }, (_, index) => ({
          type: 'header',
          name: `h${index}.xml`,
          xml: `<w:hdr xmlns:w="urn:w">${paragraph(`x${index}`)}</w:hdr>`,
        })),
      ),
  },
  {
    name: 'charts',
    format: 'docx',
    build: (n) =>
      buildDocx(
        paragraph('x'),
        Array.from({ length: Math.min(n, 4000) }, (_, index) => ({
          type: 'chart',
          name: `c${index}.xml`,
          xml: `<c:chart xmlns:c="urn:c" xmlns:a="urn:a"><a:p><a:t>x${index}</a:t></a:p></c:chart>`,
        })),
      ),
  },
  {
    name: 'names of a chart',
    format: 'docx',
    build: (n) =>
      buildDocx(paragraph('x'), [
        {
          type: 'chart',
          name: 'c.xml',
          xml: `<c:chart xmlns:c="urn:c"><c:strCache>${many(n, (index) => `<c:v>x${index}</c:v>`)}</c:strCache></c:chart>`,
        },
      ]),
  },
  {
    name: 'relationships',
    format: 'docx',
    build: (n) =>
      buildDocx(
        paragraph('x'),
        Array.from({ length: n }, () => ({ type: 'image', name: 'i.png', xml: '' })).slice(0, 4000),
      ),
  },
  {
    name: 'footnotes',
    format: 'docx',
    build: (n) =>
      buildDocx(paragraph('x'), [
        {
          type: 'footnotes',
          name: 'f.xml',
          xml: `<w:footnotes xmlns:w="urn:w">${`<w:footnote w:id="1">${paragraph('x')}</w:footnote>`.repeat(n)}</w:footnotes>`,
        },
      ]),
  },
  {
    name: 'repeated headers',
    format: 'docx',
    build: (n) =>
      buildDocx(paragraph('x'), [
        {
          type: 'header',
          name: 'f.xml',
          xml: `<w:hdr xmlns:w="urn:w">${many(n, (index) => paragraph(`x${index}`))}</w:hdr>`,
        },
      ]),
  },
  {
    name: 'a chunk of HTML',
    format: 'docx',
    build: (n) => buildDocx(paragraph('x'), [{ type: 'aFChunk', name: 'f.htm', xml: 'x<br>'.repeat(n) }]),
  },
  {
    name: 'a chunk of MIME',
    format: 'docx',
    build: (n) =>
      buildDocx(paragraph('x'), [
        {
          type: 'aFChunk',
          name: 'f.mht',
          xml: `MIME-Version: 1.0\nContent-Type: multipart/related; boundary="b"\n\n${'--b\nContent-Type: text/html\n\n<p>x\n'.repeat(n)}--b--`,
        },
      ]),
  },
  {
    name: 'a MIME header without end',
    format: 'docx',
    build: (n) =>
      buildDocx(paragraph('x'), [
        {
          type: 'aFChunk',
          name: 'f.mht',
          xml: `MIME-Version: 1.0\nContent-Type: multipart/related;${' x=y;\n'.repeat(n)}`,
        },
      ]),
  },
  {
    name: 'quoted printable',
    format: 'docx',
    build: (n) =>
      buildDocx(paragraph('x'), [
        {
          type: 'aFChunk',
          name: 'f.mht',
          xml: `MIME-Version: 1.0\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n${'=20 =\n'.repeat(n)}`,
        },
      ]),
  },
  {
    name: 'blanks of MIME',
    format: 'docx',
    build: (n) =>
      buildDocx(paragraph('x'), [
        { type: 'aFChunk', name: 'f.mht', xml: `MIME-Version: 1.0\nContent-Type: text/html\n\n${' \t'.repeat(n)}x\n` },
      ]),
  },
];
