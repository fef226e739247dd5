import { translator } from './translate.ts';

const file = {
  en: { hello: 'Hello {name}', files: { one: '{count} file', other: '{count} files' } },
  de: { hello: 'Hallo {name}', files: { one: '{count} Datei', other: '{count} Dateien' } },
} as const;

it('messages have values and counted forms in each language', () => {
  const [en, de] = [translator(file, 'en'), translator(file, 'de')];
  expect([en('hello', { name: 'Ada' }), de('hello', { name: '{name}' }), en('hello')]).toEqual([
    'Hello Ada',
    'Hallo {name}',
    'Hello {name}',
  ]);
  expect([en('files', { count: 1 }), en('files', { count: 12_345 }), de('files', { count: 12_345 })]).toEqual([
    '1 file',
    '12,345 files',
    '12.345 Dateien',
  ]);
});
