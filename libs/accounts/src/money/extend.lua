--[[ Adds to the hold of an open call that costs more than was held, within the budgets of the hold. Changes everything
     or nothing. Requires account-state.lua and budgets.lua.
  account hash: available, held (nanos)   hold hash   budgets hash: see budgets.lua   nanos: not negative
  ifEnabled: only if the account is not disabled ]]
local found, state = redis.call('HMGET', hold, 'nanos', 'lines'), read_held(account)
if not found[1] or not state then return {'gone'} end
if ifEnabled and state.disabled then return {'disabled'} end
local applied = read_stored_budgets(budgets, found[2])
local exceeded = take_from_budgets(applied, nanos)
state.available, state.held = subtract(state.available, nanos), add(state.held, nanos)
if exceeded or (nanos ~= '0' and is_negative(state.available)) then return {'too-low'} end
write_budgets(applied)
write_held(state)
redis.call('HSET', hold, 'nanos', add(found[1], nanos))
return {'extended'}
