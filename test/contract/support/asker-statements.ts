import { content, until } from '../../api/support/client.ts';
import { startTrafficStage } from '../../api/support/traffic.ts';
import type { Asked, Recorder } from './recorder.ts';

/** Statements of closed months: a month passes by the clock of a program of their own. */
export async function askAboutStatements(recorder: Recorder): Promise<void> {
  const stage = await startTrafficStage(Date.parse('2031-04-30T00:00:00Z'));
  try {
    const statuses = async (asked: Asked): Promise<number[]> => [
      (await recorder.ask(stage.standard, 'readStatement', asked)).status,
      (await recorder.ask(stage.standard, 'exportStatement', asked)).status,
    ];
    expect(await statuses({ ids: { month: '2031-04' } })).toEqual([404, 404]);
    stage.setClock(Date.parse('2031-05-04T00:00:00Z'));
    const items = (): Promise<{ items: unknown[] }> => stage.standard.get(200, 'GET', `${content}/statements`);
    await until(items, ({ items: closed }) => closed.length > 0, 60_000);
    expect((await recorder.ask(stage.standard, 'listStatements')).status).toBe(200);
    expect(await statuses({ ids: { month: '2031-04' } })).toEqual([200, 200]);
  } finally {
    await stage.end();
  }
}
