import { readQuestions } from './questions.ts';

const read = (text: string | Uint8Array): ReturnType<typeof readQuestions> =>
  readQuestions(typeof text === 'string' ? Buffer.from(text) : text, 'q.csv');

describe('a file of questions', () => {
  it('has questions with what is expected; records of one question belong together', () => {
    const questions = read(
      '\ufeffquestion,expected file,place\r\n"Who, then?",terms.pdf,page 3\r\n\r\nWhen?,log.csv\r\n"Who, then?",talk.mp3,1:05\r\n',
    );
    expect(questions).toEqual([
      {
        text: 'Who, then?',
        expected: [
          {
            line: 2,
            file: 'terms.pdf',
            placeText: 'page 3',
            place: { kind: 'numbered', unit: 'page', number: 3 },
          },
          { line: 5, file: 'talk.mp3', placeText: '1:05', place: { kind: 'time', seconds: 65 } },
        ],
      },
      { text: 'When?', expected: [{ line: 4, file: 'log.csv', placeText: '', place: null }] },
    ]);
  });

  it.each([';', '\t'])('may have other delimiters, and its columns in any order (%j)', (delimiter) => {
    const text = [
      ['File', 'Owner', 'Question'],
      ['a.pdf', 'Ann', 'one, two?'],
    ]
      .map((row) => row.join(delimiter))
      .join('\n');
    expect(read(text)).toMatchObject([{ text: 'one, two?', expected: [{ line: 2, file: 'a.pdf' }] }]);
  });

  it('counts the lines of questions that have several', () => {
    expect(read('question,file\n"a\nb",x\nc,y\n').flatMap(({ expected }) => expected.map(({ line }) => line))).toEqual([
      2, 4,
    ]);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['is empty', '', 'q.csv, line 1: the file is empty. The first line names the columns'],
    ['lacks a column', '\nquestion,place\n', 'q.csv, line 2: there is no column "expected file"'],
    ['has no questions', 'question,file\n', 'q.csv, line 1: there are no questions'],
    ['lacks a file', 'question,file\nA?,x\n\nB?,\n', 'q.csv, line 4, column 2 (file): it is empty'],
    ['lacks a question', 'question,file\n ,x\n', 'q.csv, line 2, column 1 (question): it is empty'],
    [
      'has a wrong place',
      'question,file,place\nA?,x,top\n',
      'q.csv, line 2, column 3 (place): "top" is not a place: use',
    ],
    [
      'has too many cells',
      'question,file\nWho, then?,x\n',
      'q.csv, line 2, column 3 (without a name): there are more cells',
    ],
    [
      'has an open quotation mark',
      'question,file\nA?,x\nB?,"y\nC?,z\n',
      'q.csv, line 3, column 2 (quoted text): a quotation',
    ],
    [
      'is too long',
      `question,file\n${'a'.repeat(2001)},x\n`,
      'line 2, column 1 (question): it is longer than 2000 characters',
    ],
    ['is not UTF-8', Uint8Array.from([113, 10, 233, 10]), 'q.csv, line 2: this is not UTF-8'],
  ])('that %s is refused', (_, text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
