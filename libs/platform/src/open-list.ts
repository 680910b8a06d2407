/** A value in a list, until it is removed. */
export interface Listed {
  /** Takes the member out of the list; whether it was still there. */
  remove(): boolean;
}

/** A member of a list, and its neighbours in it. */
class ListMember<Value> implements Listed {
  readonly value: Value;
  previous: ListMember<Value> | undefined;
  next: ListMember<Value> | undefined;
  #list: OpenList<Value> | undefined;

  constructor(value: Value, list: OpenList<Value>) {
    this.value = value;
    this.previous = list.last;
    this.next = undefined;
    this.#list = list;
    if (list.last === undefined) list.first = this;
    else list.last.next = this;
    list.last = this;
    list.size++;
  }

  /** A removed member refers to no other: garbage must not keep its neighbours alive. */
  remove(): boolean {
    const list = this.#list;
    if (list === undefined) return false;
    const { previous, next } = this;
    if (previous === undefined) list.first = next;
    else previous.next = next;
    if (next === undefined) list.last = previous;
    else next.previous = previous;
    this.previous = this.next = this.#list = undefined;
    list.size--;
    return true;
  }
}

/**
 * A list of open things, oldest first; members come and go with calls. A Set leaves garbage: when its table grows, the
 * old table keeps referring to the new one and to every member at that time. Once an old table is in the old
 * generation, V8 keeps every call that follows until its next major collection.
 */
export class OpenList<Value> implements Iterable<Value> {
  /** The ends of the list: its members keep them. */
  first: ListMember<Value> | undefined;
  last: ListMember<Value> | undefined;
  size = 0;

  /** Adds a member behind all others. */
  add(value: Value): Listed {
    return new ListMember(value, this);
  }

  /** The members, oldest first; any of them may be removed meanwhile. */
  [Symbol.iterator](): Iterator<Value> {
    const values: Value[] = [];
    for (let member = this.first; member !== undefined; member = member.next) values.push(member.value);
    return values.values();
  }
}
