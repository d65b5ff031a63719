/** Where the children of lost entries belong: to the entry that came before the damaged line. */
export class LostParents {
  /** The entry before the latest damaged line; undefined as long as nothing was lost. */
  #before: string | null | undefined;
  readonly #attachments = new Map<string, string | null>();
  readonly #firstChildren = new Map<string, string>();

  /** A line is lost. */
  lose(entryBefore: string | null): void {
    this.#before = entryBefore;
  }

  /**
   * Where an entry goes whose parent is not there. Further children of the same parent go to the same place, so that they stay
   * branches beside each other.
   */
  adopt(lostId: string, childId: string, entryBefore: string | null): { attachTo: string | null; afterLoss: boolean } {
    const known = this.#attachments.get(lostId);
    const afterLoss = this.#before !== undefined;
    if (known !== undefined) return { attachTo: known, afterLoss };
    const attachTo = this.#before === undefined ? entryBefore : this.#before;
    this.#attachments.set(lostId, attachTo);
    this.#firstChildren.set(lostId, childId);
    return { attachTo, afterLoss };
  }

  /** The entry that took a lost one's place: what was to be kept from the lost one on is kept from there on. */
  childOf(lostId: string): string | undefined {
    return this.#firstChildren.get(lostId);
  }
}
