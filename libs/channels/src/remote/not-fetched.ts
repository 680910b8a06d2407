/** Error of a URL that was not fetched. Its message may be shown to a client. */
export class NotFetched extends Error {
  override readonly name = "NotFetched";
}
