/** A value in a list, until it is removed. */
export interface Listed {
  /** Takes the member out of the list; whether it was still there. */
  remove(): boolean;
}

/** The ends of a list, and how many members it has. */
interface Ends<Value> {
  first: ListMember<Value> | undefined;
  last: ListMember<Value> | undefined;
  size: number;
}

/** A member of a list, and its neighbours in it. */
class ListMember<Value> implements Listed {
  readonly value: Value;
  previous: ListMember<Value> | undefined;
  next: ListMember<Value> | undefined;
  #ends: Ends<Value> | undefined;

  constructor(value: Value, ends: Ends<Value>) {
    this.value = value;
    this.previous = ends.last;
    this.next = undefined;
    this.#ends = ends;
    if (ends.last === undefined) ends.first = this;
    else ends.last.next = this;
    ends.last = this;
    ends.size++;
  }

  /** A removed member refers to no other: garbage must not keep its neighbours alive. */
  remove(): boolean {
    const ends = this.#ends;
    if (ends === undefined) return false;
    const { previous, next } = this;
    if (previous === undefined) ends.first = next;
    else previous.next = next;
    if (next === undefined) ends.last = previous;
    else next.previous = previous;
    this.previous = this.next = this.#ends = undefined;
    ends.size--;
    return true;
  }
}

/**
 * A list of open things, oldest first; members come and go with calls. A Set leaves garbage: when its table grows, the
 * old table keeps referring to the new one and to every member at that time. Once an old table is in the old
 * generation, V8 keeps every call that follows until its next major collection.
 */
export class OpenList<Value> implements Iterable<Value> {
  readonly #ends: Ends<Value> = { first: undefined, last: undefined, size: 0 };

  get size(): number {
    return this.#ends.size;
  }

  /** Adds a member behind all others. */
  add(value: Value): Listed {
    return new ListMember(value, this.#ends);
  }

  /** The members, oldest first; any of them may be removed meanwhile. */
  [Symbol.iterator](): Iterator<Value> {
    const values: Value[] = [];
    for (let member = this.#ends.first; member !== undefined; member = member.next) values.push(member.value);
    return values.values();
  }
}
