--[[ Charges a call whose settlement or hold Redis has lost, once for each lost receipt. A call without a receipt is
     charged only if it was never charged. The cost is taken even if the available amount becomes negative or a budget
     is exceeded. A hold that exists again, because Redis was restored from an older copy, is released. Requires
     account-state.lua and budgets.lua.
  account hash   hold hash   holds zset: call id -> lease expiry (ms)   outbox stream
  charged hash: call id -> 1, hash of its lost receipt -> 1, counted:HASH -> 1 if budgets were restored with the call
  event: JSON without its cost
  replaces: hash of the lost receipt; nil: it had none   rememberMs: time to live of `charged`
  budgets hash, budgetList, budgetsVersion, lines: see hold.lua ]]
local state = read_account(account)
if not state then return {'no-account'} end
local version = redis.call('HGET', account, 'budgets') or ''
if version ~= budgetsVersion then
  return {'other-budgets', version = version, list = redis.call('GET', budgetList) or ''}
end
if redis.call('HEXISTS', charged, replaces or callId) == 1 then return {'charged-before'} end
redis.call('HSET', charged, callId, '1', replaces or callId, '1')
redis.call('PEXPIRE', charged, rememberMs)
local found = redis.call('HMGET', hold, 'nanos', 'lines')
if found[1] then
  redis.call('DEL', hold)
  redis.call('ZREM', holds, callId)
  release_held(state, found[1])
  correct_budgets(budgets, found[2], negated(found[1]))
end
local is_counted = replaces and redis.call('HEXISTS', charged, 'counted:' .. replaces) == 1
if not is_counted then add_to_budgets(read_budgets(budgets, lines), cost) end
state.available, state.spent = subtract(state.available, cost), add(state.spent, cost)
local number, previous, balance, hash = add_receipt(state, negated(cost), event)
write_account(state)
local entry = redis.call('XADD', outbox, '*', 'event', event, 'cost', cost, 'uncovered', '0',
  'number', number, 'previous', previous, 'balance', balance, 'hash', hash, 'replaces', replaces or '')
return {'charged', entry = entry, number = number, previous = previous, balance = balance, hash = hash}
