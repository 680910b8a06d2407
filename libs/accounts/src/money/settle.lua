--[[ Settles one call (settlement.lua, which comes before this, says how).
  account hash   hold hash   holds zset: call id -> lease expiry (ms)   outbox stream
  late stream, read by the ledger   queueLate: where the hold is gone, the ledger is to see to the call
  event is JSON without its cost   onlyIfExpired: only if the hold's lease has run out
  onlyOn: only where Redis is in one of these runs (`run_id`), nil: in any ]]
return settlement(
  {account = account, hold = hold, holds = holds, outbox = outbox, late = queueLate and late or nil},
  {id = callId, cost = cost, event = event, tokens = tokens, nowMs = nowMs, onlyIfExpired = onlyIfExpired,
    onlyOn = onlyOn})
