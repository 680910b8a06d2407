--[[ Admits one call of a token: account, balance, requests and tokens per minute, a seat. A refusal takes nothing.
  account hash: available   bucket hash: r level, rt when, t level, tt when   seats zset: permit -> expiry (ms)
  A limit of 0 is no limit. `metered`: the call costs money. ]]
local now = clock(nowMs)
local available = redis.call('HGET', account, 'available')
local requests, tokens = requestsPerMinute, tokensPerMinute
if requestsPerMinute > 0 or tokensPerMinute > 0 then
  local seen = redis.call('HMGET', bucket, 'r', 'rt', 't', 'tt')
  local function level(at, since, capacity)
    if capacity == 0 then return 0 end
    return math.min(capacity, tonumber(at or capacity) + math.max(0, now - tonumber(since or now)) * capacity / 60000)
  end
  requests, tokens = level(seen[1], seen[2], requestsPerMinute), level(seen[3], seen[4], tokensPerMinute)
end
local function until_full(level, capacity)
  return capacity == 0 and 0 or math.ceil((capacity - level) * 60000 / capacity)
end
local function answer(decision, wait)
  return {decision, waitMs = wait,
    requestsLeft = math.floor(math.max(0, requests)), requestsResetMs = until_full(requests, requestsPerMinute),
    tokensLeft = math.floor(math.max(0, tokens)), tokensResetMs = until_full(tokens, tokensPerMinute)}
end

if not available then return answer('no-account', 0) end
if metered and (available == '0' or string.sub(available, 1, 1) == '-') then return answer('balance', 0) end
if requestsPerMinute > 0 and requests < 1 then
  return answer('requests', math.ceil((1 - requests) * 60000 / requestsPerMinute))
end
if tokensPerMinute > 0 and tokens <= 0 then
  return answer('tokens', math.ceil((1 - tokens) * 60000 / tokensPerMinute))
end
if concurrency > 0 then
  redis.call('ZREMRANGEBYSCORE', seats, '-inf', now)
  if redis.call('ZCARD', seats) >= concurrency then return answer('concurrency', 1000) end
  redis.call('ZADD', seats, string.format('%.0f', now + leaseMs), permit)
  redis.call('PEXPIRE', seats, leaseMs * 2)
end
if requestsPerMinute > 0 then
  requests = requests - 1
  redis.call('HSET', bucket, 'r', tostring(requests), 'rt', string.format('%.0f', now))
  redis.call('PEXPIRE', bucket, math.min(86400000, math.max(120000, until_full(tokens, tokensPerMinute) + 60000)))
end
return answer('admitted', 0)
