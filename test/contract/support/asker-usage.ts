import type { Asker } from './asker.ts';

/** What was used: its successes and errors. */
export async function askAboutUsage({ succeed, refused }: Asker): Promise<void> {
  await succeed('readUsage');
  await succeed('readUsage', { query: '?from=2031-01-01&to=2031-01-03' });
  await refused('readUsage', 'invalid_period', { query: '?month=2031-13' });
  await succeed('readDailyUsage', { query: '?breakdown=organization' });
  await refused('readDailyUsage', 'invalid_period', { query: '?from=2031-01-02&to=2031-01-01' });
  await refused('readDailyUsage', 'period_too_long', { query: '?from=2031-01-01&to=2033-01-01' });
  await refused('readDailyUsage', 'invalid_metric', { query: '?metric=x' });
  await refused('readDailyUsage', 'invalid_breakdown', { query: '?breakdown=x' });
  await succeed('listStatements');
  await succeed('listUsageOfAssets');
  await refused('listUsageOfAssets', 'invalid_period', { query: '?from=x' });
}
