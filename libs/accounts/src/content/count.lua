--[[ Records the bytes of one record of stored content, within the account's limits. Requires clock.lua. First releases
     the bytes of expired records. Accepts every record that does not grow, and every record with `required`.
  sizes hash: record -> bytes, '' -> sum of all records   expiries zset: record -> time of expiry (ms)
  bytes: size of the record; with `adds`, the increase. A size of 0 removes the record. ]]
local now = clock(nowMs)
local total = tonumber(redis.call('HGET', sizes, '') or '0')
local function remove(name)
  total = total - tonumber(redis.call('HGET', sizes, name) or '0')
  redis.call('HDEL', sizes, name)
  redis.call('ZREM', expiries, name)
end
for _, name in ipairs(redis.call('ZRANGEBYSCORE', expiries, '-inf', now, 'LIMIT', 0, 1000)) do remove(name) end
local before = tonumber(redis.call('HGET', sizes, record) or '0')
local after = bytes
if adds then after = math.max(0, before + bytes) end
local isFull = total - before + after > maxBytes or (before == 0 and redis.call('ZCARD', expiries) >= maxRecords)
if after > before and isFull and not required then
  redis.call('HSET', sizes, '', string.format('%.0f', total))
  return {'full'}
end
if after == 0 then
  remove(record)
else
  total = total - before + after
  redis.call('HSET', sizes, record, string.format('%.0f', after))
  redis.call('ZADD', expiries, string.format('%.0f', now + lifetimeMs), record)
end
redis.call('HSET', sizes, '', string.format('%.0f', total))
local last = redis.call('ZREVRANGE', expiries, 0, 0, 'WITHSCORES')[2]
local timeToLiveMs = math.max(1000, tonumber(last or now) - now)
redis.call('PEXPIRE', sizes, string.format('%.0f', timeToLiveMs))
redis.call('PEXPIRE', expiries, string.format('%.0f', timeToLiveMs))
return {'counted'}
