/** A member of a list, and its neighbours in it. */
interface Member<Value> {
  readonly value: Value;
  previous: Member<Value> | undefined;
  next: Member<Value> | undefined;
}

/** A value that a list has, until it is removed. */
export interface Listed {
  /** Takes the member out of the list; whether it was still there. */
  remove(): boolean;
}

/**
 * What is open now, oldest first; members come and go with calls. A Set would do, but for the garbage that it leaves: each time
 * that its table is made anew, the old table goes on referring to the new one and to all that was open then. Once one of
 * them has become old, V8 keeps every call that follows until it next collects old objects.
 */
export class OpenList<Value> implements Iterable<Value> {
  #first: Member<Value> | undefined;
  #last: Member<Value> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a member behind all others. */
  add(value: Value): Listed {
    const member: Member<Value> = { value, previous: this.#last, next: undefined };
    if (this.#last === undefined) this.#first = member;
    else this.#last.next = member;
    this.#last = member;
    this.#size++;
    let isOpen = true;
    return {
      remove: () => {
        if (!isOpen) return false;
        isOpen = false;
        this.#remove(member);
        return true;
      },
    };
  }

  /** A member that is removed refers to no other: what is garbage must not keep its neighbours. */
  #remove(member: Member<Value>): void {
    const { previous, next } = member;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    member.previous = member.next = undefined;
    this.#size--;
  }

  /** The members, oldest first; any of them may be removed meanwhile. */
  [Symbol.iterator](): Iterator<Value> {
    const values: Value[] = [];
    for (let member = this.#first; member !== undefined; member = member.next) values.push(member.value);
    return values.values();
  }
}
