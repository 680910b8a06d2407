--[[ Holds money for one call, within the budgets that apply to it, and reserves its tokens in the current minute.
     Changes everything or nothing. Requires clock.lua, account-state.lua, minute.lua and budgets.lua.
  account hash: available, held (nanos)   hold hash, written here   holds zset: call id -> lease expiry (ms)
  outbox stream: only its length is read   bucket hash: see minute.lua
  budgets hash, lines: see budgets.lua   budgetList string: budgets of the account (JSON)
  budgetsVersion: version of the account's budgets from which `lines` were derived
  tokensPerMinute: 0 means unlimited ]]
local now = clock(nowMs)
if redis.call('XLEN', outbox) >= outboxBound then return {'outbox-full'} end
local state = read_held(account)
if not state then return {'no-account'} end
if state.disabled then return {'disabled'} end
if state.budgets ~= budgetsVersion then
  return {'other-budgets', version = state.budgets, list = redis.call('GET', budgetList) or ''}
end

local capacity, minute, level = tokensPerMinute, nil, 0
if capacity > 0 then
  minute = read_minute(bucket)
  level = level_of(minute.t, minute.tt, now, capacity)
  -- A call that needs more than a full bucket is admitted if the bucket is full, and leaves a debt: otherwise it would
  -- never be admitted.
  if level < tokens and level < capacity then
    return {'tokens', waitMs = math.ceil((math.min(tokens, capacity) - level) * 60000 / capacity)}
  end
end

local applied = read_budgets(budgets, lines)
local exceeded, left, least_left = take_from_budgets(applied, nanos)
if exceeded then
  return {'over-budget', at = exceeded - 1, left = left, covered = least(least_left, state.available)}
end
local available = state.available
state.available, state.held = subtract(state.available, nanos), add(state.held, nanos)
if nanos ~= '0' and is_negative(state.available) then return {'too-low', left = available} end

-- The first write: if the call already has a hold, nothing has been changed.
if redis.call('ZADD', holds, 'NX', string.format('%.0f', now + leaseMs), callId) == 0 then return {'held-before'} end
redis.call('HSET', hold, 'account', accountId, 'nanos', nanos, 'floor', floor, 'draft', draft, 'tokens', tokens,
  'limit', capacity, 'bucket', bucket, 'lines', lines)
if nanos ~= '0' then write_held(state) end
write_budgets(applied)
if minute then
  write_minute(minute, now, until_full(level - tokens, capacity) + 60000,
    't', tostring(level - tokens), 'tt', string.format('%.0f', now))
end
return {'held'}
