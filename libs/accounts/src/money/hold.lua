--[[ Holds money for one call, within the budgets of its token and group, and reserves its tokens in the current minute.
     Changes everything or nothing. Requires clock.lua, account-state.lua, minute.lua and budgets.lua.
  account hash: available, held (nanos)   hold hash, written here   holds zset: call id -> lease expiry (ms)
  outbox stream: only its length is read   bucket hash: see minute.lua
  dayBudgets, monthBudgets hash: "token:" .. id or "group:" .. name -> spent and held (nanos)
  within: id of the token whose budget this token shares with others
  tokensPerMinute: 0 means unlimited   A budget that is nil is unlimited. ]]
local now = clock(nowMs)
if redis.call('XLEN', outbox) >= outboxBound then return {'outbox-full'} end
local state = read_held(account)
if not state then return {'no-account'} end

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

local lines, verdicts = '', {}
local function add_budget(verdict, key, field, max)
  if not max then return end
  lines = lines .. key .. '\n' .. field .. '\n' .. max .. '\n'
  verdicts[#verdicts + 1] = verdict
end
add_budget('token-per-day', dayBudgets, 'token:' .. tokenId, tokenPerDay)
add_budget('token-per-month', monthBudgets, 'token:' .. tokenId, tokenPerMonth)
if within then
  add_budget('within-per-day', dayBudgets, 'token:' .. within, withinPerDay)
  add_budget('within-per-month', monthBudgets, 'token:' .. within, withinPerMonth)
end
add_budget('group-per-day', dayBudgets, 'group:' .. group, groupPerDay)
add_budget('group-per-month', monthBudgets, 'group:' .. group, groupPerMonth)
local budgets = budgets_of(lines)
local totals, over = totals_after(budgets, nanos)
if over then
  local budget = budgets[over]
  return {verdicts[over], left = subtract(budget.max, redis.call('HGET', budget.key, budget.field) or '0')}
end
local available = state.available
state.available, state.held = subtract(state.available, nanos), add(state.held, nanos)
if nanos ~= '0' and is_negative(state.available) then return {'too-low', left = available} end

-- The first write: if the call already has a hold, nothing has been changed.
if redis.call('ZADD', holds, 'NX', string.format('%.0f', now + leaseMs), callId) == 0 then return {'held-before'} end
redis.call('HSET', hold, 'account', accountId, 'nanos', nanos, 'floor', floor, 'draft', draft, 'tokens', tokens,
  'limit', capacity, 'bucket', bucket, 'budgets', lines)
if nanos ~= '0' then
  write_held(state)
  write_budgets(budgets, totals)
end
if minute then
  write_minute(minute, now, until_full(level - tokens, capacity) + 60000,
    't', tostring(level - tokens), 'tt', string.format('%.0f', now))
end
if lines ~= '' then
  redis.call('EXPIRE', dayBudgets, 259200) -- longer than the period and any call that began in it
  redis.call('EXPIRE', monthBudgets, 3456000)
end
return {'held'}
