/** Error of a URL that was not fetched. Its message may be shown to a client; it contains no addresses. */
export class NotFetched extends Error {
  override readonly name = "NotFetched";
}
