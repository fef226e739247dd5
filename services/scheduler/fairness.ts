/** An organization's place in the order of service. */
interface Standing {
  virtualTime: number;
  lastSeen: number;
}

/**
 * Start-time fair queueing over organizations: each served job adds one to its organization's virtual time, and the
 * organization with the least is served next. A newcomer joins at the time of the one served last, so it neither
 * waits behind old queues nor makes up for its absence.
 * Source: P. Goyal, H. Vin, H. Cheng, "Start-time Fair Queuing", SIGCOMM 1996.
 */
export class FairOrder {
  private readonly standings = new Map<string, Standing>();
  private systemTime = 0;
  private round = 0;

  /**
   * Shares out places among organizations with waiting work.
   * @param waiting how many more jobs each organization may have dispatched (its cap less what is out), above 0
   * @param places free places in the stage's window
   * @returns how many jobs of each organization to dispatch now
   */
  share(waiting: ReadonlyMap<string, number>, places: number): Map<string, number> {
    this.round++;
    const left = new Map(waiting);
    for (const organizationId of waiting.keys()) {
      const standing = this.standings.get(organizationId);
      // Back after a pause: nothing is saved up.
      if (standing === undefined || standing.lastSeen < this.round - 1) this.standings.set(organizationId, { virtualTime: Math.max(standing?.virtualTime ?? 0, this.systemTime), lastSeen: this.round });
      else standing.lastSeen = this.round;
    }
    const shares = new Map<string, number>();
    for (let place = 0; place < places && left.size > 0; place++) {
      const next = this.leastServed(left.keys());
      if (next === null) break;
      const standing = this.standings.get(next);
      if (standing !== undefined) {
        this.systemTime = Math.max(this.systemTime, standing.virtualTime);
        standing.virtualTime += 1;
      }
      shares.set(next, (shares.get(next) ?? 0) + 1);
      const remaining = (left.get(next) ?? 0) - 1;
      if (remaining > 0) left.set(next, remaining);
      else left.delete(next);
    }
    this.forgetAbsent();
    return shares;
  }

  private leastServed(candidates: Iterable<string>): string | null {
    let best: string | null = null;
    let least = Infinity;
    for (const candidate of candidates) {
      const time = this.standings.get(candidate)?.virtualTime ?? Infinity;
      if (time < least || (time === least && best !== null && candidate < best)) {
        best = candidate;
        least = time;
      }
    }
    return best;
  }

  /** Organizations without work for a while need no standing; memory stays bounded by those that have some. */
  private forgetAbsent(): void {
    if (this.round % 1000 !== 0) return;
    for (const [organizationId, standing] of this.standings) if (standing.lastSeen < this.round - 1000) this.standings.delete(organizationId);
  }
}
