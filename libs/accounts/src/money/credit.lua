--[[ Adds money to an account, or takes some away, once by operation id. Never takes more than is available. The change
     is stored among the credits and, as an event, in the outbox (account-state.lua comes before this).
  account hash   credits hash: operation id -> entry (JSON) with its receipt   outbox stream
  nanos may be negative   bound: most entries
  replaces: hash of the receipt that it had in a Redis that was lost; then it is applied whatever is available ]]
local state = read_account(account)
if not state then return {'no-account'} end
if redis.call('HEXISTS', credits, operation) == 1 then return {'credited-before'} end
if redis.call('HLEN', credits) >= bound then return {'too-many'} end
-- All that an account was ever given stays below 64-bit integers, and so does everything it can spend.
if tonumber(state.credited) + tonumber(nanos) > 8e18 then return {'too-large'} end
state.available, state.credited = add(state.available, nanos), add(state.credited, nanos)
if not replaces and is_negative(nanos) and is_negative(state.available) then return {'too-low'} end
record_credit(state, {credits = credits, outbox = outbox}, operation, nanos, entry, replaces)
write_account(state)
return {'credited'}
