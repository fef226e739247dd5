import { invalid } from '../errors.ts';
import { webhookEvents } from '../webhook.ts';
import { list, nullable, object, optional, required, withDefault, type Infer, type Shape } from './schema.ts';
import { boolean, integer, mapped, oneOf, text, type Form } from './values.ts';

/** Whether http is allowed depends on the deployment, and is checked where endpoints are made. */
const urlForm: Form = { source: '^[hH][tT][tT][pP][sS]?://[^/?#]', expected: 'an address with https://' };
const url = mapped(text(1, 2048, urlForm), (given) => {
  if (!URL.canParse(given)) throw invalid([], `must be ${urlForm.expected}`);
  return given;
});
const events = mapped(list(oneOf(...webhookEvents), 20, 1), (given) => [...new Set(given)]);
const description = nullable(text(0, 200));

/** Body of POST /webhooks. */
export const newWebhook = object({
  url: required(url),
  events: required(events),
  description: withDefault(description, null),
});

/** Body of PATCH /webhooks/{webhookId}: fields that are left out stay as they are. */
export const webhookPatch = object({
  url: optional(url),
  events: optional(events),
  description: optional(description),
  active: optional(boolean),
});

/** Query of GET /webhooks/{webhookId}/deliveries. */
export const deliveriesPage = {
  state: withDefault(oneOf('pending', 'delivered', 'failed'), null),
  cursor: withDefault(text(1, 1000), null),
  limit: withDefault(integer(1, 200), 50),
};

/** The fields of a new endpoint. */
export type NewWebhook = Infer<typeof newWebhook>;
/** A change of an endpoint. */
export type WebhookPatch = Infer<typeof webhookPatch>;
/** Which deliveries to list. */
export type DeliveriesPage = Shape<typeof deliveriesPage>;
