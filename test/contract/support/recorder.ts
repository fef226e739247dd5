import type { JsonObject } from '../../../models/json.ts';
import { isObject } from '../../../models/schemas/schema.ts';
import type { Route } from '../../../mixins/http/api/route.ts';
import { routeTable } from '../../../services/gateway/table.ts';
import type { Answer, Client, Sent } from '../../api/support/client.ts';
import { AnswerCheck } from './description.ts';

/** A request of an operation: path parameters, query string, and the rest. */
export interface Asked extends Sent {
  ids?: { [name: string]: string };
  query?: string;
}

/** Calls operations by name, checks each response against the description, and records it. */
export class Recorder {
  /** Descriptions of faults. */
  readonly faults: string[] = [];
  /** Observed operations with status or error code. */
  readonly seen = new Set<string>();
  private readonly check: AnswerCheck;

  constructor(description: JsonObject) {
    this.check = new AnswerCheck(description);
  }

  /** Calls an operation as a client. */
  async ask(
    client: Client,
    operation: string,
    { ids = {}, query = '', ...sent }: Asked = {},
  ): Promise<Answer<unknown>> {
    const route = routeNamed(operation);
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? name));
    const answer = await client.ask<unknown>(route.method, `${path}${query}`, sent);
    const code = isObject(answer.body) && typeof answer.body['code'] === 'string' ? answer.body['code'] : null;
    this.seen.add(`${operation} ${answer.status}`);
    if (code !== null) this.seen.add(`${operation} ${code}`);
    const faults = this.check.faults({
      method: route.method,
      path: route.path,
      status: answer.status,
      headers: answer.headers,
      body: answer.body,
    });
    this.faults.push(
      ...faults.map(
        (fault) => `${operation} ${answer.status}: ${fault} in ${JSON.stringify(answer.body).slice(0, 400)}`,
      ),
    );
    return answer;
  }
}

/** The route of an operation. */
export function routeNamed(operation: string): Route {
  const route = routeTable.find((row) => row.operation === operation);
  if (route === undefined) throw new Error(`there is no operation ${operation}`);
  return route;
}
