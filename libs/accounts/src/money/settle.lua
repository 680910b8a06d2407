--[[ Settles one call (settlement.lua, which comes before this, says how).
  account hash   hold hash   holds zset: call id -> lease expiry (ms)   outbox stream   bucket hash: t level
  event is JSON without its cost   onlyIfExpired: only if the hold's lease has run out ]]
return settlement(
  {account = account, hold = hold, holds = holds, outbox = outbox, bucket = bucket},
  {id = callId, cost = cost, event = event, tokens = tokens, nowMs = nowMs, onlyIfExpired = onlyIfExpired})
