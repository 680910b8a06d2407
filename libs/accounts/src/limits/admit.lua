--[[ Lets one call of a token in: account, balance, requests and tokens per minute, a seat. A refusal takes nothing.
  KEYS[1] account   [2] bucket of the token (hash: r level, rt when, t level, tt when)   [3] seats (zset: permit -> expiry ms)
  ARGV[1] permit id   [2] requests per minute   [3] tokens per minute   [4] concurrency (each 0: no limit)
  ARGV[5] "1": the call costs money   [6] lease of the seat (ms)   [7] now (ms), 0: Redis' clock
  Returns {decision, requests left, ms until full, tokens left, ms until full, wait ms} ]]
local now = tonumber(ARGV[7])
if now == 0 then local t = redis.call('TIME'); now = t[1] * 1000 + math.floor(t[2] / 1000) end
local requests, tokens, seats = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

local available = redis.call('HGET', KEYS[1], 'available')
local r, t = requests, tokens
if requests > 0 or tokens > 0 then
  local seen = redis.call('HMGET', KEYS[2], 'r', 'rt', 't', 'tt')
  local function level(at, since, capacity)
    if capacity == 0 then return 0 end
    return math.min(capacity, tonumber(at or capacity) + math.max(0, now - tonumber(since or now)) * capacity / 60000)
  end
  r, t = level(seen[1], seen[2], requests), level(seen[3], seen[4], tokens)
end
local function full(at, capacity) return capacity == 0 and 0 or math.ceil((capacity - at) * 60000 / capacity) end
local function answer(decision, wait)
  return {decision, tostring(math.floor(math.max(0, r))), tostring(full(r, requests)), tostring(math.floor(math.max(0, t))),
    tostring(full(t, tokens)), tostring(wait)}
end

if not available then return answer('no-account', 0) end
if ARGV[5] == '1' and (available == '0' or string.sub(available, 1, 1) == '-') then return answer('balance', 0) end
if requests > 0 and r < 1 then return answer('requests', math.ceil((1 - r) * 60000 / requests)) end
if tokens > 0 and t <= 0 then return answer('tokens', math.ceil((1 - t) * 60000 / tokens)) end
if seats > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
  if redis.call('ZCARD', KEYS[3]) >= seats then return answer('concurrency', 1000) end
  redis.call('ZADD', KEYS[3], string.format('%.0f', now + tonumber(ARGV[6])), ARGV[1])
  redis.call('PEXPIRE', KEYS[3], tonumber(ARGV[6]) * 2)
end
if requests > 0 then
  r = r - 1
  redis.call('HSET', KEYS[2], 'r', tostring(r), 'rt', string.format('%.0f', now))
  redis.call('PEXPIRE', KEYS[2], math.min(86400000, math.max(120000, full(t, tokens) + 60000)))
end
return answer('admitted', 0)
