import { buildXlsx } from '../../../formats/testing/office.ts';
import { buildZip } from '../../../formats/testing/zip.ts';
import { many, shapesOf, type GrowingShape } from './shape.ts';

const rowUnits = String.raw`
<row><c/></row>
<row><c t="s"><v>0</v></c></row>
<row> … <c><v>1</v></c> … </row>
<row><c t="inlineStr"><is> … <t>x</t> … </is></c></row>
<row><c t="inlineStr"><is> … <rPh><t>x</t></rPh> … </is></c></row>
<row><c t="str"><v> … x … </v></c></row>
<row><c t="str"><v> … _x000D_ … </v></c></row>
<row><c t="str"><v> … _x … </v></c></row>
<row><c t="str"><v> … _ … </v></c></row>
<row><c t="str"><v>x … \u0020 … x</v></c></row>
<row><c><v> … 1 … </v></c></row>
<row><c t="d"><v>2020-01-01T00:00:00. … 0 … x</v></c></row>
<row><c t="d"><v> … T00:00:00 … </v></c></row>
<row r=" … 9 … "/>
`;

/** Units of number formats. */
const codeUnits = String.raw`
0
#,
0. … 0 …
yyyy
"
""
[
[h]
;
\\
\\x
[>1]
[\u0024-409]
?
/
?/
E+0
0E+
%
_
*
@
AM/PM
h
m
:m
s.0
,
0,
.
General
0 … - … 0
[red]
e
b
x
\u0020
`;

const cell = (value: string, type = 'n', style = 0): string => `<c t="${type}" s="${style}"><v>${value}</v></c>`;
const xlsxRows =
  (format: string) =>
  (content: string): Buffer =>
    buildXlsx([{ name: 'S', rows: content }], { formats: [format], strings: '<si><t>word</t></si>' });
const formatCodes = [
  '0'.repeat(8),
  '#,##0.00',
  'yyyy-mm-dd hh:mm:ss',
  '# ?/?',
  '# ??/??',
  '0.00E+00',
  '[h]:mm:ss',
  '[>=1000]0,"k";[<0]-0;0',
  '"x"0_)',
  '0-00-00',
];
/** Shapes of workbooks. */
export const xlsxShapes: readonly GrowingShape[] = [
  ...shapesOf(rowUnits, 'xlsx', xlsxRows('General')),
  ...formatCodes.flatMap((code) =>
    [`<row>${cell('45000.5')}</row>`, `<row>${cell('-1e300')}</row>`].map((unit): GrowingShape => ({
      name: `${unit} as ${code}`,
      format: 'xlsx',
      build: (n) => xlsxRows(code)(unit.repeat(n)),
    })),
  ),
  ...['45000.5', '-0.3'].flatMap((value) =>
    shapesOf(codeUnits, 'xlsx', (code) =>
      xlsxRows(code.replaceAll('<', '&lt;'))(`<row>${cell(value)}</row>`.repeat(3)),
    ).map((shape) => ({ ...shape, name: `${shape.name} as a format of ${value}` })),
  ),
  {
    name: 'many formats',
    format: 'xlsx',
    build: (n) =>
      buildXlsx([{ name: 'S', rows: many(n, (index) => `<row>${cell('45000', 'n', index)}</row>`) }], {
        formats: Array.from({ length: n }, (_, index) => `0.0"${index}"`),
      }),
  },
  {
    name: 'shared strings',
    format: 'xlsx',
    build: (n) =>
      buildXlsx([{ name: 'S', rows: many(n, (index) => `<row>${cell(String(index), 's')}</row>`) }], {
        strings: many(n, (index) => `<si><t>word ${index}</t></si>`),
      }),
  },
  {
    name: 'runs of a shared string',
    format: 'xlsx',
    build: (n) =>
      buildXlsx([{ name: 'S', rows: `<row>${cell('0', 's')}</row>` }], {
        strings: `<si>${'<r><t>x</t></r>'.repeat(n)}</si>`,
      }),
  },
  {
    name: 'sheets',
    format: 'xlsx',
    build: (n) =>
      buildXlsx(
        Array.from({ length: Math.min(n, 4000) }, (_, index) => ({
          name: `S${index}`,
          rows: `<row>${cell('1')}</row>`,
        })),
      ),
  },
  {
    name: 'sheets of one part',
    format: 'xlsx',
    build: (n) =>
      buildZip([
        {
          name: 'xl/workbook.xml',
          content: `<workbook xmlns:r="urn:r"><sheets>${'<sheet name="S" r:id="r"/>'.repeat(n)}</sheets></workbook>`,
        },
        {
          name: 'xl/_rels/workbook.xml.rels',
          content: '<Relationships><Relationship Id="r" Type="x/worksheet" Target="sheet.xml"/></Relationships>',
        },
        { name: 'xl/sheet.xml', content: `<worksheet>${`<row>${cell('1')}</row>`.repeat(n)}</worksheet>` },
      ]),
  },
  {
    name: 'a long name of a sheet',
    format: 'xlsx',
    build: (n) => buildXlsx([{ name: `sheet${' '.repeat(n)}x`, rows: `<row>${cell('1')}</row>` }]),
  },
  {
    name: 'digits in the name of a sheet',
    format: 'xlsx',
    build: (n) => buildXlsx([{ name: `sheet${'1'.repeat(n)}x`, rows: `<row>${cell('1')}</row>` }]),
  },
];
