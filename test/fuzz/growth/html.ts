import { shapesOf, type GrowingShape } from './shape.ts';

/** Units of HTML pages. */
export const htmlUnits = String.raw`
x<br>
<br>
\u0020<br>x
x <br>\u0020
<p> … \t<br>x …
<pre> … x<br> …
<pre> … <br>\u0020 … x
<pre>x … \u0020 … x</pre>
<pre>x … \n … x</pre>
<pre>x … \n\u0020 … x</pre>
<p>x … \u0020 … x
<p>x … \n … x
<pre> … \u0020\n …
<pre>x … \t … x
<pre>x … \u00a0 … x
<p>x … \u00a0 … x<br>y
<p>x … &nbsp; … x
<p>a<i>b</i>
<p>
</p>
<div>
<b>
</b>
<a>
<a href="x">y
<span>x</span>
<p> … <i> …
<table>
<table> … <tr> …
<table><tr> … <td> …
<table><tr> … <td>x …
<table><tr><td>x
<table><tr> … <td><p>x …
<table><tr> … <td><p>x</p><p>y …
<ul> … <li> …
<ul><li>x
<dl><dt>a<dd>b
<table><tr><td> … \u0020<noscript></noscript> …
\u0020<noscript>x</noscript>
<noscript>
<ul> … \u0020<noscript></noscript> …
<script></script>
<script type="application/ld+json">{}</script>
<script type="application/ld+json">[ … {"articleBody":"x"}, … {}]</script>
<script type="application/ld+json">{"articleBody":" … x … "}</script>
<script type="application/ld+json">{"articleBody":" … \u0001\n … "}</script>
<script type="application/ld+json"> … [ … </script>
<script type="application/ld+json">{"articleBody":" … <p>x\n … "}</script>
<script type="application/ld+json">{"articleBody":" … \u0020<br> … "}</script>
<
</
<!
<!--
-->
<!---->
<!-- … - …
<?
<![CDATA[
]]>
&
&a
&amp
&#
&#x1;
&lt;p&gt;
<p\u0020 … \u0020 …
<p\u0020 … a\u0020 …
<p\u0020 … a=b\u0020 …
<p\u0020 … a="b" …
<p class=" … x … ">y
<p class=" … ad\u0020 … ">y
<div class=" … has-x\u0020 … ">y
<div class=" … elementor- … ">y
<p style=" … display :\u0020 … ">y
<p style=" … ;\u0020 … ">y
<p style="; … \u0020 … ">y
<p class=" … slide\u0020 … ">y
<div class=" … level1x\u0020 … " id="a">y
<div class=" … \u0020 … " id="a">y
<div id=" … - … ">y
<div id="has … _ … ">y
<meta charset
<meta\u0020
<meta x
<meta x>
<meta\u0020 … a …
<meta charset=
<meta charset … \u0020 … =
<meta charset= … \u0020 … "
 … \u0020 … <?xml
<?xml encoding
<?xml … \u0020encoding …
 … \u00e9 … \u00e9
<h1>x</h1>
<h1>
<main> … <h1>x …
<h1><button>x</button></h1>
<h1> … <button>x …
<h1> … <button>x</button> …
<title>
<title>x</title>
<title> … x …
<hr>
x<hr>
<svg>
<select><option>x
<textarea>
<textarea> … x …
<main><p>Some words of prose, and some more of them.
<nav><a href="x">y</a></nav><p>Some words of prose, and some more of them.
<div class="sidebar"><p>Some words of prose, and some more of them.</p></div><p>Some words of prose, and some more of them.</p>
<div><p>Some words of prose, and some more of them.
<div hidden><p>Some words of prose, and some more of them.</div>
 … <div hidden> … x
<p>Some words of prose, and some more of them. … <ul><li><a href="x">y</a></ul> …
 … <header><p>Some words of prose, and some more of them.</header> … <h1>x</h1><main><p>Some words of prose, and some more of them.
<h1>x</h1> … <p>. … <main><p>Some words of prose, and some more of them.
<h1>x</h1><p>Some words of prose, and some more. … " … <main><p>x
<h1>x</h1><p>Some words of prose, and some more. … ) … <main><p>Some words of prose, and some more of them.
<h1>x</h1><p> … .) … x<main><p>Some words of prose, and some more of them.
<x-y>
<x-y>x</x-y>
<o:p>x</o:p>
<p>\u00b6
<a href=x> \u00b6 </a>
<p><a href=x> … \u0020 … x</a>
<p><a href=x> … \u00b6 …
\ue000
\ue000\u0020
\u0000
\ud800
<p>,
<p> … , …
<pre>x</pre>
<pre>\n
<pre>\n x\n</pre>
<pre><table><tr> … <td>x</td><td> …
<table><tr><td> … <br>x …
<table><tr><td>x … <br> …
<div class="slides"> … <section> …
<section class="slide">x</section>
<table><tr><td>x … </td> …
<table><tr><td>x … </tr> …
<body>
</body>
<html>
<frameset>
<p> … </x> …
<p><span> … </div> …
</br>
<p/>
<?xml version="1.0"?><p>x … <br/> …
<?xml version="1.0"?><p>x … <a:b/> …
<table><tr><td><div> … \u0020<noscript></noscript> …
x … \r …
<p>x … \r<br> …
<pre>x … \r\n … x
<p>x … \u3000 … x
<pre>x … \u2028 … x
`;

/** Shapes of HTML. */
export const htmlShapes: readonly GrowingShape[] = shapesOf(htmlUnits, 'html');
