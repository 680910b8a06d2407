--[[ Functions for a token's limits per minute: two buckets, requests and tokens, that are refilled evenly. Both are in
     one hash in the account's slot, with the number of calls of a day. Requires clock.lua.
  r, t: levels of requests and tokens   rt, tt: times of these levels (ms)
  d, dd: calls of a day, and the number of that day (UTC)
  x: time before which the hash cannot expire (ms)
  s: time before which the set of the token's seats cannot expire (ms) ]]
local function read_minute(key)
  local found = redis.call('HMGET', key, 'r', 'rt', 't', 'tt', 'x', 's', 'd', 'dd')
  return {key = key, r = found[1], rt = found[2], t = found[3], tt = found[4], x = tonumber(found[5] or 0), s = tonumber(found[6] or 0),
    d = tonumber(found[7] or 0), dd = tonumber(found[8] or -1)}
end
local function level_of(level, since, now, capacity)
  if capacity == 0 then return 0 end
  return math.min(capacity, tonumber(level or capacity) + math.max(0, now - tonumber(since or now)) * capacity / 60000)
end
local function until_full(level, capacity)
  return capacity == 0 and 0 or math.ceil((capacity - level) * 60000 / capacity)
end
-- Writes fields and values, and sets the expiry of the hash: to twice the time until the buckets are full again, so
-- that most calls need not extend it. A debt expires after two days at the latest.
local function write_minute(minute, now, needed_ms, ...)
  local life = math.min(86400000, needed_ms)
  if minute.x >= now + life then return redis.call('HSET', minute.key, ...) end
  redis.call('HSET', minute.key, 'x', string.format('%.0f', now + 2 * life), ...)
  redis.call('PEXPIRE', minute.key, string.format('%.0f', 2 * life))
end
-- Gives unused reserved tokens back to the bucket, or takes the tokens that were used in addition. Holds of
-- earlier versions have no key of a bucket: their tokens stay reserved until the bucket is full again.
local function correct_tokens(key, capacity, change, nowMs)
  if capacity == 0 or change == 0 or not key then return end
  local minute = read_minute(key)
  if not minute.r and not minute.t then return end -- the bucket is full and has expired
  local level = math.min(capacity, tonumber(minute.t or capacity) + change)
  if change > 0 then return redis.call('HSET', key, 't', tostring(level)) end
  write_minute(minute, clock(nowMs), until_full(level, capacity) + 60000, 't', tostring(level))
end
