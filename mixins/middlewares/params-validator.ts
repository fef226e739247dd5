import { Errors, Validators, type Context, type Middleware } from 'moleculer';
import { Refusal } from '../../models/errors.ts';
import { compile, type Properties } from '../../models/schemas/rules.ts';

/**
 * Option of a call whose parameters its caller has just checked by the same schemas: they are not checked again in this
 * process. It is a symbol and no part of a packet, so no other process can set it.
 */
export const checkedParams = Symbol('checked params');

/** The path of a field as fastest-validator writes it, such as `items[1].name`. */
function fieldOf(path: readonly (string | number)[]): string {
  return path.reduce<string>((field, part) => {
    if (typeof part === 'number') return `${field}[${part}]`;
    return field === '' ? part : `${field}.${part}`;
  }, '');
}

/**
 * Checks the parameters of actions by fastest-validator, with the rules of the API's schemas. The action gets the
 * checked copy, without the properties that its rules do not name: in a rolling upgrade a caller of a later version may
 * send more. A wrong parameter rejects the call with Moleculer's ValidationError, which names the action and the field.
 */
export class ParamsValidator extends Validators.Base {
  constructor() {
    super({});
  }

  /** @throws Refusal, from the check */
  override compile(params: object): (value: object) => boolean {
    const check = checkOf(params);
    return (value) => {
      check(value);
      return true;
    };
  }

  /** @throws Refusal */
  override validate(value: object, params: object): boolean {
    return this.compile(params)(value);
  }

  override convertSchemaToMoleculer(params: object): object {
    return params;
  }

  /** Moleculer's hook for validators. */
  override middleware(): Middleware {
    return {
      name: 'Validator',
      localAction: (next, action) => {
        const { params } = action;
        if (params === undefined) return next;
        const name = action.name ?? '';
        const check = checkOf(params);
        return function (ctx: Context): unknown {
          if (checkedParams in ctx.options) return next.call(this, ctx);
          try {
            ctx.params = check(ctx.params ?? {});
          } catch (error) {
            const detail = { ...detailOf(error), action: name, nodeID: ctx.nodeID };
            return Promise.reject(
              new Errors.ValidationError(
                [`${name}:`, detail.field, detail.message].filter((part) => part !== '').join(' '),
                'VALIDATION_ERROR',
                [detail],
              ),
            );
          }
          return next.call(this, ctx);
        };
      },
    };
  }
}

function isProperties(params: object): params is Properties {
  return Object.values(params).every((rule) => typeof rule === 'object' && rule !== null && 'type' in rule);
}

/** The check of an action's parameters. It is compiled when it is first used: a process starts sooner. */
function checkOf(params: object): (value: unknown) => unknown {
  if (!isProperties(params)) throw new Error('params are rules of fastest-validator in their long form');
  let check: ((value: unknown) => unknown) | null = null;
  return (value) =>
    (check ??= compile({ type: 'object', props: params, messages: { required: 'must be an object' } }, 'drop'))(value);
}

/** @throws every error that is not of a check */
function detailOf(error: unknown): { type: string; field: string; message: string } {
  if (!(error instanceof Refusal) || error.data.fields === undefined) throw error;
  return { type: error.type, field: fieldOf(error.data.fields), message: error.message };
}
