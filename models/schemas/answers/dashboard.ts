import { answer, id, text, time } from './answer.ts';

/** A session of the dashboard. */
export const sessionAnswer = answer('DashboardSession', {
  userId: id,
  email: text,
  organizationId: id,
  expiresAt: time,
});
