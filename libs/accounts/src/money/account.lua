--[[ Creates an account, unless it exists. Requires account-state.lua.
  account hash, written here   credits hash: operation id -> entry (JSON)   outbox stream
  createdAt: RFC 3339   opening: the first credit (JSON) ]]
if redis.call('EXISTS', account) == 1 then return {'exists'} end
redis.call('HSET', account, 'name', name, 'createdAt', createdAt)
local state = {key = account, available = balance, held = '0', credited = balance, spent = '0', receipts = 0, head = ''}
if balance ~= '0' then
  record_credit(state, {credits = credits, outbox = outbox}, 'opening', balance, opening)
end
write_account(state)
return {'created'}
