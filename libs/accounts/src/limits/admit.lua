--[[ Admits one call: checks that the account exists, is enabled and has money, checks and counts the requests and tokens
     per minute and the requests per day, and occupies a seat. A refused call changes nothing. Requires clock.lua and
     minute.lua.
  keyLimits: an id of a key and its maximum of requests per day, for each such limit ('' for none)
  days hash: id of a key -> number of the latest day (UTC) with a request, and its requests
  account hash: available, disabled   bucket hash: see minute.lua   seats zset: seatId -> expiry (ms)
  A limit of 0 means unlimited. ]]
local now = clock(nowMs)
local available, disabled = unpack(redis.call('HMGET', account, 'available', 'disabled'))
local requests, tokens, minute = requestsPerMinute, tokensPerMinute, nil
local today, calls = math.floor(now / 86400000), 0
if requestsPerMinute > 0 or tokensPerMinute > 0 or requestsPerDay > 0 then
  minute = read_minute(bucket)
  if minute.dd == today then calls = minute.d end
  requests = level_of(minute.r, minute.rt, now, requestsPerMinute)
  tokens = level_of(minute.t, minute.tt, now, tokensPerMinute)
end
local function answer(decision, waitMs, keyLimit)
  return {decision, waitMs = waitMs, keyLimit = keyLimit or 0,
    requestsLeft = math.floor(math.max(0, requests)), requestsResetMs = until_full(requests, requestsPerMinute),
    tokensLeft = math.floor(math.max(0, tokens)), tokensResetMs = until_full(tokens, tokensPerMinute)}
end

if not available then return answer('no-account', 0) end
if disabled then return answer('disabled', 0) end
if needsBalance and (available == '0' or string.sub(available, 1, 1) == '-') then return answer('balance', 0) end
if requestsPerMinute > 0 and requests < 1 then
  return answer('requests', math.ceil((1 - requests) * 60000 / requestsPerMinute))
end
if requestsPerDay > 0 and calls >= requestsPerDay then return answer('day', (today + 1) * 86400000 - now) end
local counted = {}
for id, max in string.gmatch(keyLimits, '(%S+) (%d+) ') do
  local day, before = string.match(redis.call('HGET', days, id) or '', '^(%d+) (%d+)$')
  local calls_before = tonumber(day) == today and tonumber(before) or 0
  if calls_before >= tonumber(max) then return answer('key-day', (today + 1) * 86400000 - now, tonumber(max)) end
  counted[#counted + 1] = id
  counted[#counted + 1] = string.format('%.0f %.0f', today, calls_before + 1)
end
if tokensPerMinute > 0 and tokens <= 0 then
  return answer('tokens', math.ceil((1 - tokens) * 60000 / tokensPerMinute))
end
local seatsExpireAt = minute and minute.s or 0
if concurrency > 0 then
  -- Expired seats are removed only if all seats seem to be taken.
  local taken = redis.call('ZCARD', seats)
  if taken >= concurrency then
    redis.call('ZREMRANGEBYSCORE', seats, '-inf', now)
    taken = redis.call('ZCARD', seats)
    if taken >= concurrency then return answer('concurrency', 1000) end
  end
  redis.call('ZADD', seats, string.format('%.0f', now + leaseMs), seatId)
  if taken == 0 or seatsExpireAt < now + leaseMs then -- Redis deletes an empty set, and its expiry with it
    seatsExpireAt = now + 3 * leaseMs
    redis.call('PEXPIRE', seats, 3 * leaseMs)
  end
end
if #counted > 0 then
  redis.call('HSET', days, unpack(counted))
  redis.call('PEXPIRE', days, 172800000)
end
if requestsPerMinute > 0 or requestsPerDay > 0 then
  local needed_ms = math.max(120000, until_full(tokens, tokensPerMinute) + 60000)
  local written = {'s', string.format('%.0f', seatsExpireAt)}
  if requestsPerMinute > 0 then
    requests = requests - 1
    written = {'r', tostring(requests), 'rt', string.format('%.0f', now), unpack(written)}
  end
  if requestsPerDay > 0 then
    needed_ms = math.max(needed_ms, (today + 1) * 86400000 - now)
    written = {'d', string.format('%.0f', calls + 1), 'dd', string.format('%.0f', today), unpack(written)}
  end
  write_minute(minute, now, needed_ms, unpack(written))
end
return answer('admitted', 0)
