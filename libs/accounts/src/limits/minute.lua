--[[ A token's minute: requests and tokens as buckets that fill evenly, in one hash of the account's slot
     (clock.lua comes before this).
  r, t: levels of requests and tokens   rt, tt: when they were (ms)   x: until when the hash is sure to live (ms)
  s: until when the set of the token's seats is sure to live (ms) ]]
local function read_minute(key)
  local found = redis.call('HMGET', key, 'r', 'rt', 't', 'tt', 'x', 's')
  return {key = key, r = found[1], rt = found[2], t = found[3], tt = found[4], x = tonumber(found[5] or 0), s = tonumber(found[6] or 0)}
end
local function level_of(level, since, now, capacity)
  if capacity == 0 then return 0 end
  return math.min(capacity, tonumber(level or capacity) + math.max(0, now - tonumber(since or now)) * capacity / 60000)
end
local function until_full(level, capacity)
  return capacity == 0 and 0 or math.ceil((capacity - level) * 60000 / capacity)
end
-- Writes fields and values, and keeps the hash for as long as it says anything: it is given twice the life that it needs,
-- so that most calls need not prolong it. A debt is forgotten after a day at the latest.
local function write_minute(minute, now, needed, ...)
  local life = math.min(86400000, needed)
  if minute.x >= now + life then return redis.call('HSET', minute.key, ...) end
  redis.call('HSET', minute.key, 'x', string.format('%.0f', now + 2 * life), ...)
  redis.call('PEXPIRE', minute.key, string.format('%.0f', 2 * life))
end
-- Gives back what was reserved of the tokens and not used, or takes what was used beyond that. Holds of earlier versions
-- do not name their bucket: their tokens stay reserved until the bucket has filled again.
local function correct_tokens(key, capacity, change, nowMs)
  if capacity == 0 or change == 0 or not key then return end
  local minute = read_minute(key)
  if not minute.r and not minute.t then return end -- full again
  local level = math.min(capacity, tonumber(minute.t or capacity) + change)
  if change > 0 then return redis.call('HSET', key, 't', tostring(level)) end
  write_minute(minute, clock(nowMs), until_full(level, capacity) + 60000, 't', tostring(level))
end
