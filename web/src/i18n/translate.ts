import type { Language } from '../app/preferences.ts';

/** Messages by key. `{name}` stands for a value. A counted message has a form for one and one for others. */
export type Messages = { readonly [key: string]: string | { readonly one: string; readonly other: string } };
type Same<M extends Messages> = {
  readonly [K in keyof M]: M[K] extends string ? string : { one: string; other: string };
};
/** The messages of an area in every language. */
export type MessageFile<M extends Messages> = { readonly en: M; readonly de: Same<M> };
type Values = { readonly [name: string]: string | number };

/** Makes a message file; a language with a missing or additional key does not compile. */
export function defineMessages<const M extends Messages>(file: MessageFile<M>): MessageFile<M> {
  return file;
}

/** The message of a key. `count` chooses the form of a counted one and is its `{count}`. */
export type Translate<M extends Messages> = (key: keyof M, values?: Values) => string;

/** The messages of a file in a language. */
export function translator<M extends Messages>(file: MessageFile<M>, language: Language): Translate<M> {
  const messages: Messages = file[language];
  const plural = new Intl.PluralRules(language);
  const number = new Intl.NumberFormat(language);
  return (key, values = {}) => {
    const message = messages[String(key)] ?? String(key);
    const count = Number(values['count'] ?? 0);
    const text = typeof message === 'string' ? message : plural.select(count) === 'one' ? message.one : message.other;
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      return value === undefined ? whole : typeof value === 'number' ? number.format(value) : value;
    });
  };
}
