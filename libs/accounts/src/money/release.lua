--[[ Releases a hold completely, with its reserved tokens. The call cost nothing, so there is no usage event. Requires
     account-state.lua, minute.lua and budgets.lua.
  account hash   hold hash   holds zset: call id -> lease expiry (ms)   budgets hash: see budgets.lua ]]
local found = redis.call('HMGET', hold, 'nanos', 'tokens', 'limit', 'bucket', 'lines')
local nanos = found[1]
if not nanos then return {'gone'} end
local state = read_held(account)
redis.call('DEL', hold)
redis.call('ZREM', holds, callId)
if nanos ~= '0' and state then
  release_held(state, nanos)
  write_held(state)
  correct_budgets(budgets, found[5], negated(nanos))
end
correct_tokens(found[4], tonumber(found[3]), tonumber(found[2]))
return {'released'}
