/**
 * Tesseract's names (ISO 639-2, with a script where there are several) of languages by their tags (BCP 47, primary
 * subtag).
 */
const names: ReadonlyMap<string, string> = new Map([
  ['ar', 'ara'],
  ['bg', 'bul'],
  ['ca', 'cat'],
  ['cs', 'ces'],
  ['da', 'dan'],
  ['de', 'deu'],
  ['el', 'ell'],
  ['en', 'eng'],
  ['es', 'spa'],
  ['et', 'est'],
  ['fa', 'fas'],
  ['fi', 'fin'],
  ['fr', 'fra'],
  ['he', 'heb'],
  ['hi', 'hin'],
  ['hr', 'hrv'],
  ['hu', 'hun'],
  ['id', 'ind'],
  ['is', 'isl'],
  ['it', 'ita'],
  ['ja', 'jpn'],
  ['ko', 'kor'],
  ['lt', 'lit'],
  ['lv', 'lav'],
  ['nl', 'nld'],
  ['no', 'nor'],
  ['nb', 'nor'],
  ['pl', 'pol'],
  ['pt', 'por'],
  ['ro', 'ron'],
  ['ru', 'rus'],
  ['sk', 'slk'],
  ['sl', 'slv'],
  ['sr', 'srp'],
  ['sv', 'swe'],
  ['th', 'tha'],
  ['tr', 'tur'],
  ['uk', 'ukr'],
  ['vi', 'vie'],
  ['zh', 'chi_sim'],
]);

/**
 * The languages for tesseract: the recording's language if its data is installed, and English, which is common on
 * slides; without a language English, German, French and Spanish if installed.
 * @param tag language tag of the asset; `multi` if it names none
 * @param installed names of the installed languages; not empty
 */
export function languagesFor(tag: string, installed: readonly string[]): string {
  const name = names.get(tag.toLowerCase().split('-')[0] ?? '');
  const wanted = name === undefined ? ['eng', 'deu', 'fra', 'spa'] : [name, 'eng'];
  const found = [...new Set(wanted)].filter((language) => installed.includes(language));
  return found.length > 0 ? found.join('+') : (installed.find((language) => language !== 'osd') ?? 'eng');
}

/** Parses the output of `tesseract --list-langs`: one name per line below a heading. */
export function installedLanguages(output: string): string[] {
  return output
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== 'osd');
}
