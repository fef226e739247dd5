import { defineCollection } from './collection.ts';

/** Up to which day the size of what an account keeps was measured. */
export interface MeasuredDays {
  /** Id of the account. */
  _id: string;
  /** The last measured day of the account (YYYY-MM-DD), or the one before the first. */
  through: string;
}

/** The measured days of all accounts. */
export const measuredDays = defineCollection<MeasuredDays>({
  name: 'measured_days',
  owner: 'deployment',
  indexes: [],
});
