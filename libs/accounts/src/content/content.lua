--[[ Counts the bytes of one record of an account's content. Requires clock.lua. With `limits` or `adds`, first releases
     the bytes of expired records, because the result depends on them. Other calls are short, since a script may count
     several records. Returns false, and counts nothing, if the record would grow beyond the limits of the account.
  sizes hash: record -> bytes, '' -> sum of all records   expiries zset: record -> time of expiry (ms)
  change:
    record   bytes: size of the record; with `adds`, the increase. A size of 0 removes the record
    lifetimeMs   limits: maxBytes, maxRecords; nil if the record may grow beyond them ]]
local function countContent(sizes, expiries, change)
  local now, record, limits = clock(change.nowMs), change.record, change.limits
  local total = tonumber(redis.call('HGET', sizes, '') or '0')
  local function remove(name)
    total = total - tonumber(redis.call('HGET', sizes, name) or '0')
    redis.call('HDEL', sizes, name)
    redis.call('ZREM', expiries, name)
  end
  local expired = (limits or change.adds)
    and redis.call('ZRANGEBYSCORE', expiries, '-inf', now, 'LIMIT', 0, 1000) or {}
  for _, name in ipairs(expired) do remove(name) end
  local before = tonumber(redis.call('HGET', sizes, record) or '0')
  local after = math.max(0, change.adds and before + change.bytes or change.bytes)
  local function isFull()
    return total - before + after > limits.maxBytes
      or (before == 0 and redis.call('ZCARD', expiries) >= limits.maxRecords)
  end
  local isRefused = limits and after > before and isFull()
  if after == 0 then
    remove(record)
  elseif not isRefused then
    total = total - before + after
    redis.call('HSET', sizes, record, string.format('%.0f', after))
    redis.call('ZADD', expiries, string.format('%.0f', now + change.lifetimeMs), record)
  end
  redis.call('HSET', sizes, '', string.format('%.0f', total))
  local last = redis.call('ZREVRANGE', expiries, 0, 0, 'WITHSCORES')[2]
  local timeToLiveMs = math.max(1000, tonumber(last or now) - now)
  redis.call('PEXPIRE', sizes, string.format('%.0f', timeToLiveMs))
  redis.call('PEXPIRE', expiries, string.format('%.0f', timeToLiveMs))
  return not isRefused
end
