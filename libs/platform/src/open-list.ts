/** An entry of an OpenList. */
export interface Listed {
  /** Removes the entry from its list. Returns false if it was already removed. */
  remove(): boolean;
}

/** An entry of a linked list, with its neighbours. */
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

  /**
   * Removes the entry and clears its references, so that an uncollected entry does not keep its neighbours in memory.
   */
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
 * Linked list of open objects, the oldest first. It is used for objects that are added and removed with every call. A
 * Set would keep removed objects in memory: when its table grows, the old table refers to the new one and to all
 * entries of that time. V8 may move an old table to the old generation and then keeps these objects until its next
 * major collection.
 */
export class OpenList<Value> implements Iterable<Value> {
  /** First and last entry; each entry refers to its neighbours. */
  first: ListMember<Value> | undefined;
  last: ListMember<Value> | undefined;
  size = 0;

  /** Adds an entry at the end. */
  add(value: Value): Listed {
    return new ListMember(value, this);
  }

  /** Iterates over a copy of the list, the oldest first, so that entries may be removed meanwhile. */
  [Symbol.iterator](): Iterator<Value> {
    const values: Value[] = [];
    for (let member = this.first; member !== undefined; member = member.next) values.push(member.value);
    return values.values();
  }
}
