--[[ Settles one call. Requires settlement.lua.
  account hash   hold hash   holds zset: call id -> lease expiry (ms)   outbox stream   budgets hash: see budgets.lua
  late stream, read by the ledger   queueLate: reports the call to the ledger if its hold does not exist
  event: JSON without its cost   onlyIfExpired: only if the hold's lease has expired
  runIds: settles only in one of these runs of Redis (`run_id`); nil: in any run ]]
return settlement(
  {account = account, hold = hold, holds = holds, outbox = outbox, budgets = budgets, late = queueLate and late or nil},
  {id = callId, cost = cost, event = event, tokens = tokens, nowMs = nowMs, onlyIfExpired = onlyIfExpired,
    runIds = runIds})
