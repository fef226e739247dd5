import type { Asker } from './asker.ts';

/** The plan and the quotas: their successes. */
export async function askAboutPlan({ succeed }: Asker): Promise<void> {
  await succeed('readPlan');
  await succeed('readQuotas');
}
