import { isYounger } from '../../models/age.ts';

/** For so long nobody is told of a language again, in milliseconds. */
const silence = 60_000;
/** Languages of organizations that are remembered as told. */
const most = 10_000;

/** Is told of the languages of passages that were published for an organization. */
export type LanguageNews = (organizationId: string, languages: ReadonlySet<string>) => void;

/**
 * Tells of languages in which an organization has not had new passages for a minute: searches remember for a moment which
 * languages it has, and would analyse their words by those alone.
 * @param tell hears of the organization, once for all languages that are news
 */
export function languageNews(tell: (organizationId: string) => void, now: () => number): LanguageNews {
  const told = new Map<string, number>();
  return (organizationId, languages) => {
    const news = [...languages].map((language) => `${organizationId}/${language}`).filter((key) => !isYounger(told.get(key) ?? -Infinity, now(), silence));
    if (news.length === 0) return;
    if (told.size >= most) told.clear();
    for (const key of news) told.set(key, now());
    tell(organizationId);
  };
}
