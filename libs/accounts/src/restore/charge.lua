--[[ Charges a call whose settlement, or whose hold, was lost with a Redis (account-state.lua and budgets.lua come before this).
     Once for each receipt that it had before; one that had none is charged where it was not charged at all. The cost is true, so it is taken whatever is available: the account may
     owe some. A hold that came back with an older copy of Redis is given back.
  account hash   hold hash   holds zset: call id -> lease expiry (ms)   outbox stream
  charged hash: call id, and the receipt that it had before -> 1   event is JSON without its cost
  replaces: hash of that receipt, nil: none   rememberMs: how long charges are remembered ]]
local state = read_account(account)
if not state then return {'no-account'} end
if redis.call('HEXISTS', charged, replaces or callId) == 1 then return {'charged-before'} end
redis.call('HSET', charged, callId, '1', replaces or callId, '1')
redis.call('PEXPIRE', charged, rememberMs)
local found = redis.call('HMGET', hold, 'nanos', 'budgets')
if found[1] then
  redis.call('DEL', hold)
  redis.call('ZREM', holds, callId)
  free(state, found[1])
  change_budgets(budgets_of(found[2]), negated(found[1]))
end
state.available, state.spent = subtract(state.available, cost), add(state.spent, cost)
local number, previous, balance, hash = add_receipt(state, negated(cost), event)
write_account(state)
local entry = redis.call('XADD', outbox, '*', 'event', event, 'cost', cost, 'uncovered', '0',
  'number', number, 'previous', previous, 'balance', balance, 'hash', hash, 'replaces', replaces or '')
return {'charged', entry = entry, number = number, previous = previous, balance = balance, hash = hash}
