--[[ Adds money to an account, or takes money from it, once for each operation id. Never takes more than is available.
     Stores the change among the credits and, as an event, in the outbox. Requires account-state.lua.
  account hash   credits hash: operation id -> entry (JSON) with its receipt   outbox stream
  nanos: may be negative   maxCredits: maximum entries of `credits`
  replaces: hash of the lost receipt of the change, which is then applied even if it makes the
    available amount negative ]]
local state = read_account(account)
if not state then return {'no-account'} end
if redis.call('HEXISTS', credits, operation) == 1 then return {'credited-before'} end
if redis.call('HLEN', credits) >= maxCredits then return {'too-many'} end
-- The sum of all credits stays within 64-bit integers, and therefore also every amount that the account can spend.
if tonumber(state.credited) + tonumber(nanos) > 8e18 then return {'too-large'} end
state.available, state.credited = add(state.available, nanos), add(state.credited, nanos)
if not replaces and is_negative(nanos) and is_negative(state.available) then return {'too-low'} end
record_credit(state, {credits = credits, outbox = outbox}, operation, nanos, entry, replaces)
write_account(state)
return {'credited'}
