import { jobErrorCodes } from '../../../../models/errors.ts';
import { adviceMessages } from './advice-messages.ts';

test('there is advice for each error code of jobs, and for no other', () => {
  const { other: _, ...advice } = adviceMessages.en;
  expect(Object.keys(advice).sort()).toEqual(Object.keys(jobErrorCodes).sort());
});
