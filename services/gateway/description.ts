import type { JsonObject } from '../../models/json.ts';
import { sessionPaths } from './dashboard-description.ts';
import { notificationPaths } from './notification-description.ts';
import { describeApi } from './openapi.ts';
import { routeTable } from './table.ts';

/** The OpenAPI document of all operations: what the program serves, and what the types of its clients are made from. */
export function wholeDescription(): JsonObject {
  return describeApi(routeTable, { ...notificationPaths, ...sessionPaths });
}
