/** A remote file that was not fetched; the message says why in words that a client may see, without addresses. */
export class NotFetched extends Error {
  override readonly name = "NotFetched";
}
