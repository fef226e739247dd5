import { TextDecoder } from 'node:util';
import { blocksOf } from './testing/read.ts';
import { readHtml } from './html.ts';
import { likelyEncoding } from './likely-encoding.ts';

/** Text as bytes of an encoding: what its decoder makes of all characters of one and two bytes, turned round. */
function encoded(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const bytesOf = new Map<string, number[]>();
  const put = (bytes: number[]): void => {
    try {
      const character = decoder.decode(Uint8Array.from(bytes));
      if (character.length === 1 && !bytesOf.has(character)) bytesOf.set(character, bytes);
    } catch {
      // No character has these bytes.
    }
  };
  for (let first = 0; first < 256; first++) put([first]);
  if (/jis|euc|gb|big5/.test(encoding))
    for (let first = 0x81; first < 255; first++) for (let second = 0x40; second < 255; second++) put([first, second]);
  return Buffer.from(
    [...text].flatMap((character) => {
      const bytes = bytesOf.get(character);
      if (bytes === undefined) throw new Error(`${encoding} has no ${character}`);
      return bytes;
    }),
  );
}

const sentences: [string, string[], string][] = [
  [
    'Russian',
    ['windows-1251', 'koi8-r', 'iso-8859-5'],
    'Правила хранения документов изменились в прошлом году. Каждый отдел обязан передать бумаги в архив.',
  ],
  [
    'Ukrainian',
    ['windows-1251', 'koi8-u'],
    'Правила зберігання документів змінилися минулого року. Кожен відділ повинен передати папери до архіву.',
  ],
  [
    'Polish',
    ['iso-8859-2', 'windows-1250'],
    'Zasady przechowywania dokumentów zmieniły się w zeszłym roku. Każdy dział musi przekazać papiery do archiwum najpóźniej pierwszego dnia miesiąca.',
  ],
  [
    'Czech',
    ['iso-8859-2', 'windows-1250'],
    'Pravidla pro ukládání dokumentů se v loňském roce změnila. Každé oddělení musí předat písemnosti do archivu nejpozději prvního dne měsíce.',
  ],
  [
    'Greek',
    ['iso-8859-7', 'windows-1253'],
    'Οι κανόνες για τη φύλαξη των εγγράφων άλλαξαν πέρυσι. Κάθε τμήμα πρέπει να παραδίδει τα χαρτιά στο αρχείο.',
  ],
  [
    'Turkish',
    ['windows-1254'],
    'Belgelerin saklanmasına ilişkin kurallar geçen yıl değişti. Her bölüm kağıtları en geç ayın birinci gününde arşive teslim etmelidir.',
  ],
  [
    'Hebrew',
    ['windows-1255'],
    'כללי שמירת המסמכים השתנו בשנה שעברה. כל מחלקה חייבת למסור את הניירות לארכיון לא יאוחר מהיום הראשון של החודש.',
  ],
  [
    'Japanese',
    ['shift_jis', 'euc-jp'],
    '文書の保管規則は昨年変わりました。各部署は毎月一日までに書類を資料室に渡さなければなりません。書類をなくした場合、社員は部長に説明書を書きます。',
  ],
  [
    'Chinese',
    ['gb18030'],
    '文件保存规定去年有所改变。各部门必须在每月一日之前把文件交给档案室。如果文件丢失，员工要向主任书面说明情况。有问题可以打电话询问。',
  ],
  [
    'Korean',
    ['euc-kr'],
    '문서 보관 규정이 작년에 바뀌었습니다. 각 부서는 매월 일일까지 서류를 자료실에 넘겨야 합니다.',
  ],
  [
    'German',
    ['windows-1252'],
    'Die Regeln für die Aufbewahrung von Unterlagen haben sich im vergangenen Jahr geändert – das „Schriftstück“ geht spätestens am ersten Tag des Monats an das Archiv. Fragen können Sie auch telefonisch klären.',
  ],
  [
    'French',
    ['windows-1252'],
    'Les règles de conservation des documents ont changé l’année dernière. Si un document est égaré, l’employé écrit une explication à la direction générale.',
  ],
  [
    'Portuguese',
    ['windows-1252'],
    'As regras de conservação mudaram no ano passado. Cada secção deve entregar os papéis até ao primeiro dia do mês; o funcionário escreve uma explicação à direção.',
  ],
  [
    'Swedish',
    ['windows-1252'],
    'Reglerna för förvaring av handlingar ändrades förra året. Varje avdelning måste lämna papperen till arkivet senast den första dagen i månaden.',
  ],
  [
    'English',
    ['windows-1252'],
    'The rules changed last year – “every department” must hand its papers over. It’s that simple; the café’s résumé isn’t needed.',
  ],
];
const cases = sentences.flatMap(([language, encodings, text]) =>
  encodings.map((encoding): [string, string, string] => [language, encoding, text]),
);

describe('a page without a declared encoding', () => {
  it.each(cases)('of %s in %s is read as it was written', async (_language, encoding, text) => {
    const page = Buffer.concat([
      Buffer.from(
        '<!doctype html><html><head><title>Page</title><script>if (a < b) { document.write("menu and more of it"); }</script></head><body><div class="content main"><p>',
      ),
      encoded(text, encoding),
      Buffer.from('</p></div></body></html>'),
    ]);
    expect((await blocksOf(readHtml, page)).map((block) => block.text)).toEqual([text]);
  });

  it.each(sentences)('of %s in UTF-8 is UTF-8', async (_language, _encodings, text) => {
    expect((await blocksOf(readHtml, Buffer.from(`<p>${text}</p>`))).map((block) => block.text)).toEqual([text]);
  });

  it.each(['© 2020 Example Ltd.', 'naïve résumé', 'Größe: 5 m²', 'Price: 10 € · shipping', '½ cup sugar, 180 °C'])(
    'is windows-1252 with few non-ASCII letters: %s',
    (text) => {
      expect(likelyEncoding(encoded(text, 'windows-1252'))).toBe('windows-1252');
    },
  );

  it('is detected in little time, whatever the content', () => {
    const hostile = [
      Buffer.alloc(256 * 1024, '<'),
      Buffer.alloc(256 * 1024, 0x80),
      Buffer.from('<\x80>'.repeat(80_000), 'latin1'),
      Buffer.from('\xe4<b>'.repeat(60_000), 'latin1'),
      Buffer.alloc(0),
    ];
    const before = process.cpuUsage();
    for (const page of hostile) expect(() => new TextDecoder(likelyEncoding(page))).not.toThrow();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(5);
  });
});
