import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { jobErrorCodes } from '../models/errors.ts';
import { quotaMetrics } from '../models/quotas.ts';
import { stages } from '../models/job.ts';

/** Bucket bounds in seconds for operations of up to minutes. */
const wide = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600];
/** Bucket bounds in seconds for operations that usually take less than a millisecond. */
const quick = [0.0001, 0.0005, 0.002, 0.01, 0.05, 0.25, 1, 5, 30];

const codes = Object.keys(jobErrorCodes);
const jobEnds = { state: ['ready', 'failed', 'cancelled'], code: ['none', ...codes] };

/** The values that each label of a metric can have. */
export type LabelValues<L extends string> = Readonly<Record<L, readonly string[]>>;

function labelsOf<L extends string>(values: LabelValues<L>): L[] {
  return Object.keys(values).filter((name): name is L => Object.hasOwn(values, name));
}

/** All combinations of the labels' values. */
function labelSets<L extends string>(values: LabelValues<L>): Record<L, string>[] {
  const sets = Object.entries<readonly string[]>(values).reduce<Record<string, string>[]>(
    (made, [label, each]) => made.flatMap((set) => each.map((value) => ({ ...set, [label]: value }))),
    [{}],
  );
  return sets.filter((set): set is Record<L, string> => Object.keys(values).every((label) => label in set));
}

/**
 * The program's Prometheus metrics. Labels have few values (no ids). Names follow the Prometheus conventions:
 * https://prometheus.io/docs/practices/naming/
 */
export class Metrics {
  readonly registry = new Registry();
  readonly requests = this.histogram('ply_http_request_duration_seconds', 'Requests by route and status.', [
    'method',
    'route',
    'status',
  ]);
  readonly permissionDrops = this.counter(
    'ply_permission_drops_total',
    'Hits of the index that the records forbid. Must stay 0.',
    {},
  );
  readonly stageSeconds = this.histogram(
    'ply_stage_duration_seconds',
    'Duration of one stage by format of the file and outcome.',
    ['stage', 'format', 'outcome'],
  );
  readonly responses = this.counter('ply_http_responses_total', 'Responses by the first digit of their status.', {
    class: ['1xx', '2xx', '3xx', '4xx', '5xx'],
  });
  readonly requestsShed = this.counter(
    'ply_requests_shed_total',
    'Requests refused with 503 because too many were in progress, by who refused them.',
    { by: ['gateway', 'searcher'] },
  );
  readonly leasesLost = this.counter('ply_leases_lost_total', 'Leases that expired.', { stage: stages });
  readonly unreadableMessages = this.counter(
    'ply_queue_unreadable_total',
    'Messages of the stage queue that could not be parsed and were terminated.',
    { stage: stages },
  );
  readonly retries = this.counter('ply_job_retries_total', 'Stages retried after a temporary failure.', {
    stage: stages,
    code: codes,
  });
  readonly jobsEnded = this.counter('ply_jobs_ended_total', 'Jobs by final state and code.', jobEnds, [
    ...labelSets({ state: ['ready', 'cancelled'], code: ['none'] }),
    ...labelSets({ state: ['failed'], code: codes }),
  ]);
  readonly waiting = this.gauge(
    'ply_jobs_waiting',
    'Jobs waiting for a stage, in all organizations. Every scheduler reports the same number.',
    ['stage'],
  );
  readonly underWay = this.gauge(
    'ply_jobs_under_way',
    'Jobs in progress at the workers of a stage, in all organizations. Every scheduler reports the same number.',
    ['stage'],
  );
  readonly slots = this.gauge(
    'ply_stage_slots',
    'Jobs that all workers of a stage can do at a time. Every scheduler reports the same number.',
    ['stage'],
  );
  readonly libraryFiles = this.gauge(
    'ply_library_files',
    'Files of all organizations. Every scheduler reports the same number.',
    [],
  );
  readonly oldestWaiting = this.gauge(
    'ply_jobs_oldest_waiting_seconds',
    'Waiting time of the oldest waiting job of a stage; 0 if none waits.',
    ['stage'],
  );
  readonly outboxAge = this.gauge(
    'ply_outbox_oldest_seconds',
    'Delay of the oldest overdue outbox; 0 if none is overdue.',
    [],
  );
  readonly actions = this.histogram(
    'ply_action_duration_seconds',
    "Calls of the actors' actions by outcome: done, refused (a 4xx of the API) or failed.",
    ['action', 'outcome'],
    quick,
  );
  readonly stores = this.histogram(
    'ply_store_duration_seconds',
    'Operations of the stores by outcome: done, refused, or unavailable.',
    ['part', 'operation', 'outcome'],
    quick,
  );
  readonly models = this.histogram(
    'ply_model_duration_seconds',
    'Requests to the models by outcome: done, refused, or unavailable.',
    ['part', 'operation', 'outcome'],
  );
  readonly foreignPackets = this.counter(
    'ply_foreign_packets_total',
    'Packets of processes of another installation that use the same PLY_NATS_PREFIX; they are dropped. Must stay 0.',
    {},
  );
  readonly outboxEntries = this.counter('ply_outbox_entries_total', 'Outbox entries delivered.', {
    kind: ['usage', 'discard', 'attributes', 'membership'],
  });

  readonly sourceRequests = this.histogram(
    'ply_source_request_duration_seconds',
    "Requests to customers' sources, until the response headers arrive, by outcome: 2xx, 3xx, 4xx, 5xx or failed.",
    ['role', 'outcome'],
  );
  readonly usageUncountedAge = this.gauge(
    'ply_usage_oldest_uncounted_seconds',
    'Age of the oldest usage event that is in no figure yet; a few seconds in normal operation.',
    [],
  );
  readonly statementsClosed = this.counter('ply_statements_closed_total', 'Months closed into a statement.', {});
  readonly statementsOverdue = this.gauge(
    'ply_statements_overdue_seconds',
    'How long the longest overdue month waits to be closed; under a minute in normal operation.',
    [],
  );
  readonly usageReconciliationDifferences = this.counter(
    'ply_usage_reconciliation_differences_total',
    'Roll-ups of organizations, files and resources that the daily reconciliation found to differ from their events, and replaced. Must stay 0.',
    {},
  );
  readonly usageReconciledAge = this.gauge(
    'ply_usage_reconciled_oldest_seconds',
    'Time since the account that waits longest was last reconciled; about a day in normal operation.',
    [],
  );
  readonly quotasReached = this.gauge(
    'ply_quotas_reached',
    'Quotas of accounts of which so many percent or more are used this month.',
    ['percent'],
  );
  readonly quotaAlerts = this.counter(
    'ply_quota_alerts_total',
    'Alert thresholds of quotas that accounts reached, each once a month.',
    { metric: quotaMetrics },
  );
  readonly trafficSpoolBytes = this.gauge(
    'ply_traffic_spool_bytes',
    'Traffic of this edge on disk that the ledger has not acknowledged.',
    [],
  );
  readonly trafficSpoolAge = this.gauge(
    'ply_traffic_spool_oldest_seconds',
    'Age of the oldest batch of traffic that the ledger has not acknowledged; 0 if none waits.',
    [],
  );
  readonly trafficLost = this.counter(
    'ply_traffic_lost_total',
    'Responses that were not counted because neither disk nor memory had room. Must stay 0.',
    {},
  );
  readonly trafficUnfoldedAge = this.gauge(
    'ply_traffic_unfolded_oldest_seconds',
    'Age of the oldest traffic that is stored but not in the totals; 0 if all is. Every ledger reports the same number.',
    [],
  );
  readonly edgeSilence = this.gauge(
    'ply_edge_silent_seconds',
    'Time since this edge last learned what changed. Beyond 3 seconds it delivers only what it has.',
    [],
  );
  readonly edgeChangesAge = this.gauge(
    'ply_edge_changes_oldest_seconds',
    'Age of the oldest change or purge that not every edge has acknowledged; 0 if there is none. Every storage process reports the same number.',
    [],
  );
  readonly checksumsAge = this.gauge(
    'ply_checksum_checks_oldest_seconds',
    'Waiting time of the oldest check of a declared SHA-256; 0 if none waits. Every storage process reports the same number.',
    [],
  );
  readonly certificatesLate = this.gauge(
    'ply_domain_certificates_late',
    'Certificates of custom domains whose renewal is late: less than a sixth of their life is left. Every storage process reports the same number.',
    [],
  );
  readonly webhookFirstAttempt = this.histogram(
    'ply_webhook_first_attempt_seconds',
    'Time from the making of a webhook delivery to the beginning of its first attempt.',
    [],
  );
  readonly webhookAttempts = this.histogram(
    'ply_webhook_attempt_duration_seconds',
    'Attempts at webhook deliveries by outcome: delivered, or why not.',
    ['outcome'],
  );
  readonly webhookDeliveriesEnded = this.counter(
    'ply_webhook_deliveries_ended_total',
    'Webhook deliveries that were delivered, or failed for good.',
    { state: ['delivered', 'failed'] },
  );
  readonly webhookDeliveriesWaiting = this.gauge(
    'ply_webhook_deliveries_waiting',
    'Webhook deliveries whose attempt is due and has not begun. Every process of webhooks reports the same number.',
    ['stage'],
  );
  readonly webhooksFailing = this.gauge(
    'ply_webhook_endpoints_failing',
    'Webhook endpoints whose last attempt failed. Every process of webhooks reports the same number.',
    [],
  );
  readonly videosWaiting = this.gauge(
    'ply_videos_waiting',
    'Videos that wait to be encoded, by stage. Every encoder reports the same number.',
    ['stage'],
  );
  readonly filmWaiting = this.gauge(
    'ply_videos_waiting_film_seconds',
    'Length of the films that wait to be encoded; a source that was not probed yet counts as five minutes. Every encoder reports the same number.',
    ['stage'],
  );
  readonly videosOldestWaiting = this.gauge(
    'ply_videos_oldest_waiting_seconds',
    'Waiting time of the video that has waited longest for a stage; 0 if none waits.',
    ['stage'],
  );
  readonly auditFailures = this.counter('ply_audit_failures_total', "Failed writes of rows to an account's audit.", {});
  readonly organizationRequests = this.histogram(
    'ply_organization_request_duration_seconds',
    'Requests of the organizations listed in PLY_METRICS_ORGANIZATIONS.',
    ['organization', 'class', 'outcome'],
  );
  readonly organizationWaiting = this.gauge(
    'ply_organization_jobs_waiting',
    'Jobs waiting for a stage, of the organizations listed in PLY_METRICS_ORGANIZATIONS.',
    ['organization', 'stage'],
  );
  readonly organizationEnded: Counter<'organization' | 'state'>;
  /** Organizations with metrics of their own: few, and chosen by the operator. */
  readonly watched: ReadonlySet<string>;

  /** @param watched organizations with metrics of their own */
  constructor(watched: readonly string[] = []) {
    this.watched = new Set(watched);
    this.organizationEnded = this.counter(
      'ply_organization_jobs_ended_total',
      'Jobs by final state, of the organizations listed in PLY_METRICS_ORGANIZATIONS.',
      { organization: watched, state: jobEnds.state },
    );
  }

  /** Adds the metrics of the Node process (event loop delay, memory). */
  collectProcess(): void {
    collectDefaultMetrics({ register: this.registry, prefix: 'ply_' });
    // Gauges with names of counters, which Prometheus' linter rejects; each is the sum of another gauge.
    for (const kind of ['handles', 'requests', 'resources'])
      this.registry.removeSingleMetric(`ply_nodejs_active_${kind}_total`);
  }

  /**
   * A counter of this registry. All of its series start at 0, because Prometheus sees no increase in a series that
   * begins with its first event.
   * @param sets the label sets that it can have; by default all combinations of the values
   */
  counter<L extends string>(
    name: string,
    help: string,
    values: LabelValues<L>,
    sets: readonly Readonly<Record<L, string>>[] = labelSets(values),
  ): Counter<L> {
    const counter = new Counter<L>({ name, help, labelNames: labelsOf(values), registers: [this.registry] });
    for (const labels of sets) counter.inc(labels, 0);
    return counter;
  }

  /** A gauge of this registry. */
  gauge<L extends string>(name: string, help: string, labelNames: readonly L[]): Gauge<L> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  /** A histogram of this registry, in seconds. */
  histogram<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    buckets: readonly number[] = wide,
  ): Histogram<L> {
    return new Histogram({ name, help, labelNames, registers: [this.registry], buckets: [...buckets] });
  }
}
