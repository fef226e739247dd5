import { action, type } from './action.ts';

/** How a process of the installation stands, for operators. */
export interface ProcessReport {
  roles: string[];
  version: string;
  ready: boolean;
  parts: { [name: string]: { state: 'up' | 'down' | 'off' | 'recovering'; detail?: string } };
}

/** Actions of every process, whatever its roles. */
export const processActions = {
  health: action({ params: {}, result: type<ProcessReport>(), repeatable: true }),
};
