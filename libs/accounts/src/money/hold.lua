--[[ Puts money aside for one call, within the budgets of its token and group, and reserves its tokens of the token's
     minute. All or nothing.
  KEYS[1] account            hash: available, held (nano-dollars)
  KEYS[2] hold of the call   hash, made here
  KEYS[3] holds of the shard zset: call id -> lease expiry (ms)
  KEYS[4] outbox of the shard, looked at for its length
  KEYS[5] token bucket       hash: t level, tt when (ms)
  KEYS[6] budgets of the day hash: "token:" .. id or "group:" .. name -> spent and held (nanos)
  KEYS[7] budgets of the month, alike (budgets.lua comes before this)
  ARGV[1] call id   [2] nanos   [3] floor nanos   [4] draft event (JSON)   [5] lease (ms)   [6] outbox bound
  ARGV[7] tokens to reserve   [8] tokens per minute, 0: no limit   [9] account id   [10] now (ms), 0: Redis' clock
  ARGV[11] token id   [12] group   [13] to [16] budgets (nanos, "": none): token per day, per month, group per day, per month
  Returns {"held"} | {"held-before"} | {"outbox-full"} | {"no-account"} | {"too-low"} | {"tokens", wait ms}
  | {"budget", which of ARGV[13] to [16]: "1" to "4"} ]]
local now = tonumber(ARGV[10])
if now == 0 then local t = redis.call('TIME'); now = t[1] * 1000 + math.floor(t[2] / 1000) end
if redis.call('EXISTS', KEYS[2]) == 1 then return {'held-before'} end
if redis.call('XLEN', KEYS[4]) >= tonumber(ARGV[6]) then return {'outbox-full'} end
if redis.call('EXISTS', KEYS[1]) == 0 then return {'no-account'} end

local capacity, wanted, level = tonumber(ARGV[8]), tonumber(ARGV[7]), 0
if capacity > 0 then
  local seen = redis.call('HMGET', KEYS[5], 't', 'tt')
  level = tonumber(seen[1] or capacity)
  level = math.min(capacity, level + math.max(0, now - tonumber(seen[2] or now)) * capacity / 60000)
  -- A call larger than the whole minute passes on a full bucket and leaves a debt; else it could never pass.
  if level < wanted and level < capacity then
    return {'tokens', tostring(math.ceil((math.min(wanted, capacity) - level) * 60000 / capacity))}
  end
end

local lines, order = '', {}
for at = 1, 4 do
  local key, subject = at % 2 == 1 and KEYS[6] or KEYS[7], at <= 2 and 'token:' .. ARGV[11] or 'group:' .. ARGV[12]
  if ARGV[12 + at] ~= '' then
    lines = lines .. key .. '\n' .. subject .. '\n' .. ARGV[12 + at] .. '\n'
    order[#order + 1] = at
  end
end
local budgets = budgets_of(lines)
local over = take(budgets, ARGV[2])
if over then return {'budget', tostring(order[over])} end

if ARGV[2] ~= '0' then
  redis.call('HINCRBY', KEYS[1], 'available', '-' .. ARGV[2])
  if string.sub(redis.call('HGET', KEYS[1], 'available'), 1, 1) == '-' then
    redis.call('HINCRBY', KEYS[1], 'available', ARGV[2])
    give_back(budgets, ARGV[2])
    return {'too-low'}
  end
  redis.call('HINCRBY', KEYS[1], 'held', ARGV[2])
end
if capacity > 0 then
  redis.call('HSET', KEYS[5], 't', tostring(level - wanted), 'tt', string.format('%.0f', now))
  -- A debt is forgotten after a day at the latest.
  redis.call('PEXPIRE', KEYS[5], math.min(86400000, math.ceil((capacity - level + wanted) * 60000 / capacity) + 60000))
end
redis.call('HSET', KEYS[2], 'account', ARGV[9], 'nanos', ARGV[2], 'floor', ARGV[3], 'draft', ARGV[4], 'tokens', ARGV[7], 'limit', ARGV[8])
if lines ~= '' then
  redis.call('HSET', KEYS[2], 'budgets', lines)
  redis.call('EXPIRE', KEYS[6], 259200) -- longer than any call that began in the period
  redis.call('EXPIRE', KEYS[7], 3456000)
end
redis.call('ZADD', KEYS[3], string.format('%.0f', now + tonumber(ARGV[5])), ARGV[1])
return {'held'}
