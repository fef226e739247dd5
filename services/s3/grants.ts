import { accounts } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import type { Door } from './door.ts';

/** Whether the plan of an account has a feature; without a plan all are available. */
export async function hasFeatureOf({ app }: Pick<Door, 'app'>, accountId: string, feature: string): Promise<boolean> {
  const features = (await app.records.collection(accounts, systemScope).get(accountId))?.features;
  return features === undefined || features.includes(feature);
}
