import { shapesOf, type GrowingShape } from './shape.ts';

/** Units of plain text and Markdown. */
export const textUnits = String.raw`
x
\u0020
\n
\r
\r\n
x\n
x\r
\t
a b\u0020
\u0020\n
\u3000
\u0000x
\u00e9
\ud83d\ude00
 … \u0060 … \n
\u0060\u0060\u0060\n
\u0060\u0060\u0060\n … \u0060 … x\n
~~~\n\u0060\u0060\u0060\n
#\n
# x\n
x\n … = …
x\n … - … \n
x\n=\n
x\n= … \u0020 … x\n
x\n- … \t … x\n
 … 1 … . x\n=\n
\u0020   x\n
\u0060\u0060\u0060 … \u0020 … \n
\u0060\u0060\u0060x\n\u0060\u0060\u0060 … \u0020 … x\n
- x\n---\n
>
> x\n
`;

const csvUnits = String.raw`
x
\u0020
\n
\r
\r\n
x\n
x\r
\t
a b\u0020
\u0020\n
\u3000
\u0000x
\u00e9
\ud83d\ude00
,
"
""
"a
"a"
",
,"
"a",
a,b\n
a;b\n
"a,b",c\n
"a""b",c\n
a\tb\n
a|b\n
"\n
a,"\n
\n"a
a"b,c\n
1,2;3,4\n
 … 1, … \n
sep=;\n … a … \n
a, … \u0020 … b\n
a,b\n … \u0020\n …
a,b … \r …
a,b … \r\n …
" … x, …
" … x\n …
a b,
`;

/** Shapes of plain text, Markdown and CSV. */
export const textShapes: readonly GrowingShape[] = [
  ...shapesOf(textUnits, 'text'),
  ...shapesOf(textUnits, 'markdown'),
  ...shapesOf(csvUnits, 'csv'),
];
