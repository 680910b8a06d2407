export interface ListEntry {
  /** Removes the entry from its list. Returns false if it was already removed. */
  remove(): boolean;
}

class ListMember<Value> implements ListEntry {
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

  /** Removes the entry, and clears its references so that it does not keep its neighbours in memory. */
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
 * Linked list of open objects, the oldest first. A Set would keep removed objects in memory, because V8 may keep the
 * tables from which it grew until the next major collection.
 */
export class OpenList<Value> implements Iterable<Value> {
  first: ListMember<Value> | undefined;
  last: ListMember<Value> | undefined;
  size = 0;

  add(value: Value): ListEntry {
    return new ListMember(value, this);
  }

  /** Iterates over a copy, so that entries may be removed meanwhile. */
  [Symbol.iterator](): Iterator<Value> {
    const values: Value[] = [];
    for (let member = this.first; member !== undefined; member = member.next) values.push(member.value);
    return values.values();
  }
}
