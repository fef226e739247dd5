import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { blocksOf } from '../testing/read.ts';
import { readerOf } from '../readers.ts';

const path = fileURLToPath(
  new URL('../../../shared/data/samples/scorm/RuntimeBasicCalls_SCORM12.zip', import.meta.url),
);
const sample = await readFile(path).catch(() => null);
if (sample === null) process.stderr.write(`SKIPPED: no sample course at ${path}\n`);

(sample === null ? describe.skip : describe)('the sample course', () => {
  it('yields every page with its title, and the questions in scripts', async () => {
    const blocks = await blocksOf(await readerOf('package'), sample ?? '');
    const titles = new Map(blocks.map(({ location }) => [location.resource, location.title]));
    expect(Object.fromEntries([...titles].filter(([resource]) => resource?.endsWith('.html')))).toEqual({
      'Etiquette/Course.html': 'Etiquette - Course',
      'Etiquette/Distracting.html': 'Etiquette - Play',
      'Etiquette/Play.html': 'Etiquette - Playing',
      'Handicapping/CalculatingHandicap.html': 'Handicap Calculating',
      'Handicapping/CalculatingScore.html': 'Calculating a Score',
      'Handicapping/Example.html': 'Handicapping Example',
      'Handicapping/Overview.html': 'Handicapping',
      'HavingFun/HowToHaveFun.html': 'How to Have Fun',
      'HavingFun/MakeFriends.html': 'How to Make Friends on the Golf Course',
      'Playing/OtherScoring.html': 'Other Scoring Systems',
      'Playing/Par.html': 'Par',
      'Playing/Playing.html': 'Playing Golf',
      'Playing/RulesOfGolf.html': 'Rules of Golf',
      'Playing/Scoring.html': 'Scoring',
      'shared/assessmenttemplate.html': 'Assessment',
    });
    const scripts = blocks.filter(({ location }) => location.resource?.endsWith('.js'));
    expect(new Set(scripts.map(({ location }) => location.resource?.split('/').at(-1)))).toEqual(
      new Set(['questions.js']),
    );
    expect(scripts.map(({ text }) => text)).toContain('The player with the best score on previous hole tees off:');
  });
});
