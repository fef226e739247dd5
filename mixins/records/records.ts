import type { Service, ServiceSchema } from 'moleculer';
import DbService from 'moleculer-db';
import type { Filter, Records } from '../../adapters/records/port.ts';
import type { CollectionDefinition, StoredRecord } from '../../models/collection.ts';
import { systemScope, type Scope } from '../../models/scope.ts';
import { recordsAdapter, type EntityQuery, type RecordsAdapter } from './adapter.ts';

/** Actions that moleculer-db would publish: none is, because they take queries and whole documents from any caller. */
const unpublished = {
  find: false,
  count: false,
  list: false,
  create: false,
  insert: false,
  get: false,
  update: false,
  remove: false,
} as const;

/** A page of entities as moleculer-db's `list` returns it. */
export interface EntityPage<T> {
  rows: T[];
  total: number;
  page: number;
  pageSize: number;
  totalPages: number;
}

/**
 * moleculer-db's operations on the entities of one scope, with their life cycle. `get`, `update` and `remove`
 * reject with moleculer-db's EntityNotFoundError where the scope holds no such id.
 */
export interface Entities<T extends StoredRecord> {
  find(params: EntityQuery): Promise<T[]>;
  count(params: { query?: Filter }): Promise<number>;
  list(params: Omit<EntityQuery, 'limit' | 'offset'> & { page: number; pageSize: number }): Promise<EntityPage<T>>;
  /** @throws DuplicateRecord */
  create(entity: T): Promise<T>;
  /** Those that no unique index refused. */
  insert(entities: readonly T[]): Promise<T[]>;
  get(id: string): Promise<T>;
  update(id: string, fields: Partial<Omit<T, '_id'>>): Promise<T>;
  remove(id: string): Promise<T>;
}

/** The methods of moleculer-db's service that its own actions call. */
interface DbMethods<T extends StoredRecord> {
  _find(ctx: null, params: EntityQuery): Promise<T[]>;
  _count(ctx: null, params: { query?: Filter }): Promise<number>;
  _list(ctx: null, params: EntityQuery & { page: number; pageSize: number }): Promise<EntityPage<T>>;
  _create(ctx: null, entity: T): Promise<T>;
  _insert(ctx: null, params: { entities: readonly T[] }): Promise<T[]>;
  _get(ctx: null, params: { id: string }): Promise<T>;
  _update(ctx: null, params: { id: string }): Promise<T>;
  _remove(ctx: null, params: { id: string }): Promise<T>;
}

/** moleculer-db's life cycle of an entity. What the validator throws refuses the entity. */
export interface EntityLifeCycle<T extends StoredRecord> {
  entityValidator?: (entity: T) => void | Promise<void>;
  entityCreated?: (entity: T) => void | Promise<void>;
  entityUpdated?: (entity: T) => void | Promise<void>;
  entityRemoved?: (entity: T) => void | Promise<void>;
}

/** A service's plain records: the mixin of its schema, and the entities of a scope once the service is created. */
export interface RecordsService<T extends StoredRecord> {
  mixin: Partial<ServiceSchema>;
  entities(scope: Scope): Entities<T>;
}

// moleculer-db's types describe its schema object as a class.
const database: object = DbService;

/**
 * Ties a service to the collections that it owns. moleculer-db's life cycle connects when the service starts, which
 * waits until the store answers; it tries again each second.
 * @param all collections that are prepared at the start
 */
export function recordsService<T extends StoredRecord>(
  records: Records,
  main: CollectionDefinition<T>,
  all: readonly CollectionDefinition<StoredRecord>[] = [main],
  { entityValidator, ...hooks }: EntityLifeCycle<T> = {},
): RecordsService<T> {
  let service: Service | null = null;
  const settings: object = entityValidator === undefined ? {} : { entityValidator };
  const schema: Partial<ServiceSchema> & { adapter: unknown } = {
    mixins: [database as Partial<ServiceSchema>],
    adapter: {
      ...recordsAdapter(records, main, systemScope),
      init: (_broker: unknown, created: Service) => {
        service = created;
      },
      connect: () => records.prepare(all),
    },
    actions: { ...unpublished },
    settings,
    ...hooks,
    methods: {
      // Nothing caches entities: moleculer-db would broadcast an event to all nodes with each change.
      clearCache: () => Promise.resolve(),
    },
  };
  return {
    mixin: schema,
    entities(scope) {
      if (service === null) throw new Error(`${main.name}: the service is not created`);
      const scoped = withAdapter<T>(service, recordsAdapter(records, main, scope));
      return {
        find: (params) => scoped._find(null, params),
        count: (params) => scoped._count(null, { ...params }),
        list: ({ page, pageSize, ...params }) =>
          scoped._list(null, { ...params, page, pageSize, limit: pageSize, offset: (page - 1) * pageSize }),
        create: (entity) => scoped._create(null, entity),
        insert: (entities) => scoped._insert(null, { entities }),
        get: (id) => scoped._get(null, { id }),
        update: (id, fields) => scoped._update(null, { ...fields, id }),
        remove: (id) => scoped._remove(null, { id }),
      };
    },
  };
}

/**
 * The service with another adapter. Moleculer binds a service's methods to it, so they are bound again: everything that
 * they read and write goes through the given adapter.
 */
function withAdapter<T extends StoredRecord>(service: Service, adapter: RecordsAdapter<T>): DbMethods<T> {
  const scoped = Object.create(service, { adapter: { value: adapter } }) as DbMethods<T>;
  const methods: Record<string, unknown> = service.schema.methods ?? {};
  for (const [name, method] of Object.entries(methods))
    if (typeof method === 'function') {
      const bound = (...given: unknown[]): unknown => Reflect.apply(method, scoped, given);
      Object.defineProperty(scoped, name, { value: bound });
    }
  return scoped;
}

/** Whether an error says that a scope holds no entity with this id. */
export function isEntityNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === 'EntityNotFoundError';
}

/** The mixin of a service that uses no entities: `recordsService`. */
export function recordsMixin<T extends StoredRecord>(
  records: Records,
  main: CollectionDefinition<T>,
  all: readonly CollectionDefinition<StoredRecord>[] = [main],
): Partial<ServiceSchema> {
  return recordsService(records, main, all).mixin;
}
