--[[ Puts money aside for one call, within the budgets of its token and group, and reserves its tokens of the token's
     minute. All or nothing (clock.lua and budgets.lua come before this).
  account hash: available, held (nanos)   hold hash, made here   holds zset: call id -> lease expiry (ms)
  outbox stream, of which only the length is read   bucket hash: t level, tt when (ms)
  dayBudgets, monthBudgets hash: "token:" .. id or "group:" .. name -> spent and held (nanos)
  tokensPerMinute of 0 is no limit; a budget that is nil has no limit. ]]
local now = clock(nowMs)
if redis.call('EXISTS', hold) == 1 then return {'held-before'} end
if redis.call('XLEN', outbox) >= outboxBound then return {'outbox-full'} end
if redis.call('EXISTS', account) == 0 then return {'no-account'} end

local capacity, level = tokensPerMinute, 0
if capacity > 0 then
  local seen = redis.call('HMGET', bucket, 't', 'tt')
  level = tonumber(seen[1] or capacity)
  level = math.min(capacity, level + math.max(0, now - tonumber(seen[2] or now)) * capacity / 60000)
  -- A call larger than the whole minute passes on a full bucket and leaves a debt; else it could never pass.
  if level < tokens and level < capacity then
    return {'tokens', waitMs = math.ceil((math.min(tokens, capacity) - level) * 60000 / capacity)}
  end
end

local lines, verdicts = '', {}
local function add_budget(verdict, key, field, most)
  if not most then return end
  lines = lines .. key .. '\n' .. field .. '\n' .. most .. '\n'
  verdicts[#verdicts + 1] = verdict
end
add_budget('token-per-day', dayBudgets, 'token:' .. tokenId, tokenPerDay)
add_budget('token-per-month', monthBudgets, 'token:' .. tokenId, tokenPerMonth)
add_budget('group-per-day', dayBudgets, 'group:' .. group, groupPerDay)
add_budget('group-per-month', monthBudgets, 'group:' .. group, groupPerMonth)
local budgets = budgets_of(lines)
local over = take(budgets, nanos)
if over then return {verdicts[over]} end

if nanos ~= '0' then
  redis.call('HINCRBY', account, 'available', '-' .. nanos)
  if string.sub(redis.call('HGET', account, 'available'), 1, 1) == '-' then
    redis.call('HINCRBY', account, 'available', nanos)
    give_back(budgets, nanos)
    return {'too-low'}
  end
  redis.call('HINCRBY', account, 'held', nanos)
end
if capacity > 0 then
  redis.call('HSET', bucket, 't', tostring(level - tokens), 'tt', string.format('%.0f', now))
  -- A debt is forgotten after a day at the latest.
  redis.call('PEXPIRE', bucket, math.min(86400000, math.ceil((capacity - level + tokens) * 60000 / capacity) + 60000))
end
redis.call('HSET', hold, 'account', accountId, 'nanos', nanos, 'floor', floor, 'draft', draft, 'tokens', tokens, 'limit', capacity)
if lines ~= '' then
  redis.call('HSET', hold, 'budgets', lines)
  redis.call('EXPIRE', dayBudgets, 259200) -- longer than any call that began in the period
  redis.call('EXPIRE', monthBudgets, 3456000)
end
redis.call('ZADD', holds, string.format('%.0f', now + leaseMs), callId)
return {'held'}
