/** Units of course scripts. */
export const scriptUnits = String.raw`
x=[ … {title:"Some words of a lesson. "}, … ]
x=[ … "Some words of a lesson. ", … ]
x= … "Some words of a lesson. "+ … ""
x={text: … "a"+ … ""}
'
"
\u0060
" … \\ …
"\\
/
/a
=/[
=/\\
x … =/[a] …
=/[)
=/(?:)
/*
/* */
//\n
x= … a. …
x= … a.b …
x= … a( …
x= … { …
x= … [{ …
[{"a": … [ …
}
{ … a: …
a b\u0020
1
1.
1\u0020
\u0020
\n
\ufeff
\u00a0
\u0024
x={text:" … \\u0041 … "}
x={html:" … <p>x … "}
x={html:" … x<br> … "}
x={html:"<p>x … \u0020 … x"}
x={html:" … \u0020<br> … "}
x={html:" … < … "}
x={html:" … <a … "}
x={html:" … </a … "}
x={text:" … & … "}
x={text:"a … \u0020 … b"}
x={text:"m\u0020 … 1\u0020 … "}
x={text:"m1 … 1, … "}
x={text:"a … charset … "}
x={text:"a b … charset\u0020 … "}
x={text:"xcharset … a1 … !"}
x={text:"x light … a1 … !"}
x={text:"x … lightlight … !"}
x={alt:" … a b … \u002012x"}
x={alt:" … .png … x"}
x={text:" … A … !"}
x={text:" … AAAA … "}
x={text:" … W3siYSI6ImIifV0g … "}
x={text:" … a- … !"}
x={text:" … a. … !"}
x={text:" … ./ … !"}
x={text:" … var\u0020 … "}
x={text:" … function\u0020 … x"}
x={text:" … return x\u0020 … x"}
x={text:"a b c\u0020 … { … \u0020d"}
x={text:"a b c\u0020 … ; … \u0020d"}
x={text:"a b c\u0020 … ;\u0020 … \u0020d"}
x={text:"a; … \u0020 … d"}
x={text:" … #a … !"}
x={text:"https … . … \u0020a"}
x={text:" … w( … \u0020a"}
x={text:" … w\u0020 … \u0020a"}
x={text:" … \u4e00 … "}
x={text:" … a' … "}
x={ … titletext … :"some words of it"}
x={ … Title … :"some words of it"}
x={ … a … :"some words of it"}
x={ … class … x:"some words of it"}
{"a":
{"a":[
{"title":"Some words here","slides":[
x= … "{ …
slides.push({title:"Some words here"});
x= … addSlide( …
=>
x={ … l10n:{text:"some words here"}, … }
x=[ … {id:"PromptScene"}, … ]
x={text:"some words here"};
x={text:" … %7B … "}
`;
