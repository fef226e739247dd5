import type { Haste } from '../../adapters/records/port.ts';

/** Jobs of an organization in a worker's hands up to which its writes wait for nobody. */
const fewHeld = 2;

/** The jobs that a worker has at the moment. */
export class Hands {
  private readonly ofOrganizations = new Map<string, number>();
  held = 0;

  take(organizationId: string): void {
    this.held++;
    this.ofOrganizations.set(organizationId, (this.ofOrganizations.get(organizationId) ?? 0) + 1);
  }

  letGo(organizationId: string): void {
    this.held--;
    const left = (this.ofOrganizations.get(organizationId) ?? 1) - 1;
    if (left === 0) this.ofOrganizations.delete(organizationId);
    else this.ofOrganizations.set(organizationId, left);
  }

  /** Who has many jobs under way gets on as fast where their writes share flushes; who has a few is answered sooner where they do not wait. */
  hasteOf(organizationId: string): Haste {
    return (this.ofOrganizations.get(organizationId) ?? 0) <= fewHeld ? 'prompt' : 'patient';
  }
}
