import type { Asker } from './asker.ts';

/** The plan: its success. */
export async function askAboutPlan({ succeed }: Asker): Promise<void> {
  await succeed('readPlan');
}
