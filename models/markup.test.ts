import { isMislabelledMarkup, markupOf } from './markup.ts';

describe('the markup that a file begins with', () => {
  it.each<[string, ReturnType<typeof markupOf>]>([
    ['<html>', 'html'],
    [' \t\r\n\f<!DOCTYPE HTML>', 'html'],
    ['<ScRiPt >', 'html'],
    ['<!-- x', 'html'],
    ['<!--x', null],
    ['<br>', 'html'],
    ['<br/>', null],
    ['<body', null],
    ['<html', null],
    ['<?xml version', 'xml'],
    ['<?XML', null],
    ['<svg xmlns', 'xml'],
    ['<SVG>', 'xml'],
    ['text <html>', null],
    ['\ufeff<html>', null],
    ['', null],
    [`${' '.repeat(1440)}<html>`, null],
    [`${' '.repeat(1439)}<html>`, 'html'],
  ])('of %j is %s', (text, expected) => {
    expect(markupOf(Buffer.from(text))).toBe(expected);
  });

  it.each<[string, string, string[], boolean]>([
    ['<html>', 'image/png', ['image/*'], true],
    ['<html>', 'image/png', ['image/png', 'text/html'], false],
    ['<html>', 'text/html', ['text/*'], false],
    ['<html>', 'text/plain', ['text/*'], false],
    ['<svg>', 'image/png', ['image/*'], false],
    ['<svg>', 'image/png', ['image/png'], true],
    ['<?xml ', 'text/plain', ['text/plain'], true],
    ['<?xml ', 'application/rss+xml', ['application/rss+xml'], false],
    ['<html>', 'image/svg+xml', ['image/svg+xml'], true],
    ['plain', 'image/png', ['image/png'], false],
  ])('%j declared as %s, with %j allowed, is mislabelled: %s', (text, type, allowed, expected) => {
    expect(isMislabelledMarkup(Buffer.from(text), type, allowed)).toBe(expected);
  });
});
